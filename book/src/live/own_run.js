// The reader's own source, compiled in the page and run on the simulator: cells of the notebook, or a whole
// program.

import { leadTo, said as saidBy } from './card_result.js';
import { build, messages, refusal } from './compiler.js';
import { element } from './html.js';
import { SAVED, result, resultOfProgram } from './own_result.js';
import { sites } from './said.js';
import * as simulator from './simulator.js';

/** Cells are compiled for the GPU that is simulated, an H200. */
const CAPABILITY = '90';
const MEMORY = ['--memory', '2^30'];
/** The arguments of what runs a cell, or a whole program. More steps are taken for an endless kernel, or are
    more than a page has. */
const words = (path, cell, { program }) =>
    [path, ...(program ? ['--steps-limit', '2^24'] : ['--cell', `${cell}`, '--steps-limit', '2^22']),
    ...MEMORY];
const command = words => ['cargo run --example simulate --', ...words].join(' ');
/** The verdict comes first: what cures it is tried after that. */
const VERDICT = ['--cures', 'off'];
/** What `save` writes stays in the page's own memory, to be downloaded, apart from what the page itself has
    there. */
const IN_PAGE = ['--out', `/${SAVED}`];

const COMPILES = 'It compiles. This cell launches nothing: a line //@ launch … does, or a main().';

/** What a run says of a source of which the compiler says nothing, and what a terminal says where it warns.
    */
const OK = /^ok: nothing is wrong/;
const WARNED = 'see the compiler’s warnings above; nothing else is wrong';

const isError = ({ kind }) => kind === 'error';

/** What a run of `source`, the file `path`, gives down to the cell with this number, which `launches`
    something or is a program: `came`, which shown() shows, now or after a reload; and what cures.js takes of
    it, if it was launched. */
export async function runOwn({ path, source, cell = 1, launches = true }, signal, tell) {
    const begun = performance.now();
    const made = await build({ path, source, programs: true, capability: CAPABILITY }, signal, tell);
    const isProgram = Boolean(made.program);
    const compiled = { path, source, said: made.said, isCompiled: Boolean(made.ptx), isProgram };
    if (!made.ptx || !(isProgram || launches)) {
        return { came: compiled };
    }
    const program = isProgram && { 'program.json': JSON.stringify(made.program) };
    const files = { [path]: source, [path.replace('.cu', '.ptx')]: made.ptx, ...program };
    const asked = words(path, cell, made);
    const left = await simulator.start(['simulate', ...asked, ...VERDICT, ...IN_PAGE], () => files, signal,
        tell);
    const { status, stdout, stderr } = left;
    const answer = simulator.shown(left);
    const seconds = (performance.now() - begun) / 1000;
    const isOwn = ([name]) => !(name in files) && name !== 'shown.json';
    const saved = [...left.files].filter(isOwn).map(([name, bytes]) => [name, [...bytes]]);
    const about = { command: command([...asked, ...VERDICT]), seconds, saved };
    const came = { ...compiled, ran: { ...answer, isRefused: !answer, status, stdout, stderr,
        files: undefined }, ...about };
    return { came, launched: answer && { args: ['simulate', ...asked, ...IN_PAGE], files } };
}

/** What to say of a run, the `parts` that show it, the `sites` to mark, whether what comes next may follow,
    the `diagnostics`, and whether only the result is wrong. `reveal` goes to a line. */
export function shown({ path, said: told, isCompiled, isProgram, ran, command, seconds, saved }, reveal) {
    const leads = leadTo(path, reveal);
    const found = messages(told).filter(message => message.file === path);
    /** The compiler's errors come first, then what the simulator has found, and with the first what is open.
        */
    const all = (diagnostics = []) => {
        const inTurn = [...found.filter(isError), ...diagnostics, ...found.filter(one => !isError(one))];
        return sites(inTurn).filter(site => site.file === path);
    };
    const said = told ? [element('p', { className: 'cell-note', textContent: 'The compiler says:' }),
        saidBy(told, leads)] : [];
    if (!isCompiled) {
        return { sentence: refusal(found), parts: said, sites: all(), goesOn: false };
    }
    if (!ran) {
        return { sentence: COMPILES, parts: said, sites: all(), goesOn: true };
    }
    if (ran.isRefused) {
        const start = `error: ${path}:`;
        const line = ran.stderr.startsWith(start) ? parseInt(ran.stderr.slice(start.length), 10) : 0;
        const errors = line ? [{ file: path, line, kind: 'error', message: simulator.refusal(ran) }] : [];
        const sentence = `It was not launched${line ? `: line ${line}` : ''}.`;
        return { sentence, parts: [...said, saidBy(ran.stderr, leads)], sites: all(errors), goesOn: false };
    }
    const parts = isProgram ? resultOfProgram(ran, saved, leads) : result(ran, { command, saved }, leads);
    const sentence = `Done in ${seconds.toFixed(2)} s: ` +
        `${found.length > 0 ? ran.verdict.replace(OK, WARNED) : ran.verdict}.`;
    const { diagnostics } = ran;
    // Something is wrong, and no finding says what.
    const isUnexpected = ran.status === 1 && diagnostics.every(({ severity }) => severity === 'note');
    return { sentence, parts: [...said, ...parts], sites: all(diagnostics), goesOn: true, diagnostics,
        isUnexpected };
}
