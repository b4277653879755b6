// The reader's own source, compiled in the page and run on the simulator: cells of the notebook, or a whole program.

import { leadTo, said } from './card_result.js';
import { build, messages, refusal } from './compiler.js';
import { element } from './html.js';
import { SAVED, result, resultOfProgram } from './own_result.js';
import { sites } from './said.js';
import * as simulator from './simulator.js';

/** Cells are compiled for the GPU that is simulated, an H200. */
const CAPABILITY = '90';
const MEMORY = ['--memory', '2^30'];
/** The arguments of what runs a cell, or a whole program. More steps are taken for an endless kernel, or are more than a page has. */
const words = (path, cell, { program }) => [path, ...(program ? ['--steps-limit', '2^24'] : ['--cell', `${cell}`, '--steps-limit', '2^22']), ...MEMORY];
const command = words => ['cargo run --example simulate --', ...words].join(' ');
/** The verdict comes first: what cures it is tried after that. */
const VERDICT = ['--cures', 'off'];
/** What `save` writes stays in the page's own memory, to be downloaded, apart from what the page itself has there. */
const IN_PAGE = ['--out', `/${SAVED}`];

const COMPILES = 'It compiles. This cell launches nothing: a line //@ launch … does, or a main().';

const isError = ({ kind }) => kind === 'error';

/** What a run of `source`, the file `path`, gives down to the cell with this number, which `launches` something or is a program: what to
    say, the `parts` that show it, the `sites` to mark, and whether what comes next may follow; and what cures.js takes of it, if
    it was launched. `reveal` goes to a line. */
export async function runOwn({ path, source, cell = 1, launches = true, reveal }, signal, tell) {
    const begun = performance.now();
    const leads = leadTo(path, reveal);
    const made = await build({ path, source, programs: true, capability: CAPABILITY }, signal, tell);
    const found = messages(made.said).filter(message => message.file === path);
    /** The compiler's errors come first, then what the simulator has found, and with the first what is open. */
    const all = (diagnostics = []) => {
        const inTurn = [...found.filter(isError), ...diagnostics, ...found.filter(one => !isError(one))];
        return sites(inTurn).filter(site => site.file === path);
    };
    const told = made.said ? [element('p', { className: 'cell-note', textContent: 'The compiler says:' }), said(made.said, leads)] : [];
    if (!made.ptx) {
        return { sentence: refusal(found), parts: told, sites: all(), goesOn: false };
    }
    if (!made.program && !launches) {
        return { sentence: COMPILES, parts: told, sites: all(), goesOn: true };
    }
    const program = made.program && { 'program.json': JSON.stringify(made.program) };
    const files = { [path]: source, [path.replace('.cu', '.ptx')]: made.ptx, ...program };
    const asked = words(path, cell, made);
    const left = await simulator.start(['simulate', ...asked, ...VERDICT, ...IN_PAGE], () => files, signal, tell);
    const answer = simulator.shown(left);
    if (!answer) {
        const start = `error: ${path}:`;
        const line = left.stderr.startsWith(start) ? parseInt(left.stderr.slice(start.length), 10) : 0;
        const errors = line ? [{ file: path, line, kind: 'error', message: simulator.refusal(left) }] : [];
        const sentence = `It was not launched${line ? `: line ${line}` : ''}.`;
        return { sentence, parts: [...told, said(left.stderr, leads)], sites: all(errors), goesOn: false };
    }
    const given = Object.keys(files);
    const shown = program ? resultOfProgram(answer, { given }, leads) : result(answer, { command: command([...asked, ...VERDICT]), given }, leads);
    const seconds = (performance.now() - begun) / 1000;
    const sentence = `Done in ${seconds.toFixed(2)} s: ${answer.verdict}.`;
    const { diagnostics } = answer;
    const launched = { run: { args: ['simulate', ...asked, ...IN_PAGE], files }, diagnostics, sentence };
    return { sentence, parts: [...told, ...shown], sites: all(diagnostics), goesOn: true, launched };
}
