// A run of a cell: waiting, compiling, running, and what comes of it.

import { follow, input, part, touched } from './bar.js';
import { perform, runOrStop as pressed, say } from './card.js';
import { MAX_ELEMENTS } from './card_result.js';
import { build, messages, refusal } from './compiler.js';
import { chosenWhatIf, options } from './controls.js';
import { addCures } from './cures.js';
import * as edits from './edits.js';
import { element } from './html.js';
import { addChart, remove, show, showCures, showRefused, showWarnings } from './result.js';
import * as simulator from './simulator.js';

/** Whether all results are right, or what is wrong. */
function verdict({ status, record: { runs }, diagnostics }) {
    const wrong = runs.filter(run => !run.ok).map(run => `${run.kernel}: ${[...new Set(run.found)].join(', ') || 'wrong result'}`);
    const last = diagnostics.at(-1);
    if (status !== 0 && wrong.length === 0 && last) {
        return `${last.kernel ?? 'the run'} was stopped: ${last.kind}`;
    }
    return wrong.join('; ') || (runs.length > 1 ? 'all results are right' : 'the result is right');
}

/** How long ago that was: what the reader has waited for, the compiler too. */
const since = begun => {
    const seconds = (performance.now() - begun) / 1000;
    return `${seconds.toFixed(seconds < 1 ? 2 : 1)} s`;
};

/** Whether the cell belongs to the answer of a prediction that the reader has not opened: a run does not give it away. */
const isFolded = ({ element }) => Boolean(element.closest('details:not([open])'));

/** The columns of the recorded table, and whether the result is right. */
const columns = ({ live: { columns } }) => (columns.length && !columns.includes('check') ? [...columns, 'check'] : columns);

/** What the compiler makes of the reader's kernels; the cell shows what it says if it refuses them. */
async function compiled(cell, request, signal, tell) {
    tell('Compiling');
    const made = await build(request, signal, tell);
    if (!made.ptx) {
        const found = messages(made.said);
        showRefused(cell, made, found);
        say(cell, refusal(found));
    }
    return made;
}

/** Offers what cures what was found in the reader's kernels. */
async function cured(cell, { words, edited, diagnostics, sentence }, signal, tell) {
    const { stem, simulated, file } = cell.live;
    const run = await simulator.asked({ stem, simulated, edited, options: [...words, '--no-sweep'], show: {} });
    const own = diagnostics.filter(found => found.file === file);
    const show = cures => showCures(cell, cures);
    const { isOld, take } = cell;
    await addCures({ run, diagnostics: own, sentence, isOld, say: sentence => say(cell, sentence), show, take }, signal, tell);
}

async function ran(cell, signal, tell) {
    const begun = performance.now();
    const file = edits.edited(cell);
    const request = file && { path: file.path, source: file.source };
    const whatIf = file ? undefined : chosenWhatIf(cell);
    const { stem, simulated, chart, scale } = cell.live;
    const words = options(cell);
    const isOwn = cell.form.elements.n.value === cell.recorded.n;
    const hasSteps = simulated && Number(cell.form.elements.n.value) <= MAX_ELEMENTS;
    const of = input(cell);
    const { ptx, newer, compiler, said } = file ? await compiled(cell, request, signal, tell) : {};
    if (file && !ptx) {
        cell.ran = of;
        return false;
    }
    const edited = file && { source: request.source, ptx, newer, compiler };
    const simulate = (options, show, tell) => simulator.run({ stem, simulated, whatIf: whatIf?.name, edited, options, show }, signal, tell);
    const table = more => simulate([...words, '--no-sweep', ...more], { columns: columns(cell) }, tell);
    const { answer, error, said: refused } = await table(hasSteps ? ['--steps'] : []).catch(error => {
        // Its steps cannot be drawn.
        return hasSteps && error instanceof simulator.Trapped ? table([]) : Promise.reject(error);
    });
    const misfits = answer ? [] : messages(refused);
    if (misfits.length > 0) {
        showRefused(cell, { compiler: 'The program of the chapter', said: refused }, misfits);
        cell.ran = of;
        say(cell, `It is not launched: line ${misfits[0].line}.`);
        return true;
    }
    if (!answer) {
        remove(cell);
        say(cell, error);
        return true;
    }
    show(cell, answer, whatIf, edited);
    if (said) {
        showWarnings(cell, { compiler, said }, messages(said));
    }
    cell.ran = of;
    const where = isFolded(cell) ? ' The table is in the closed box.' : '';
    const done = `Done in ${since(begun)}: ${verdict(answer)}.${where}`;
    say(cell, done);
    if (edited) {
        await cured(cell, { words, edited, diagnostics: answer.diagnostics, sentence: done }, signal, tell);
    }
    if (!chart) {
        return true;
    }
    // The recorded chart is of the record's own n and others, whichever of them the cell shows.
    const swept = isOwn ? words.filter(word => !word.startsWith('--n ')) : words;
    const drawing = (_, fraction) => tell(`${done} Drawing the chart`, fraction);
    const drawn = await simulate(swept, { chart, scale }, drawing).catch(error => {
        signal.throwIfAborted();
        return { error: error.message };
    });
    if (drawn.answer?.chart) {
        addChart(cell, drawn.answer);
    }
    say(cell, drawn.error ? `${done} The chart is as it was: ${drawn.error}` : done);
    return !drawn.error;
}

/** Runs the cell; whether those after it may follow. */
export async function run(cell, cells) {
    if (!cell.form.checkValidity()) {
        part(cell, '.cell-more').open = true;
        cell.form.reportValidity();
        return false;
    }
    touched.add(cell);
    follow(cell, cells);
    const goesOn = await perform(cell, (signal, tell) => ran(cell, signal, tell));
    follow(cell, cells); // what has changed since it began
    return Boolean(goesOn);
}

/** For a reader who has pressed a button, here or where the cell's kernels are edited. */
export const runOrStop = (cell, cells) => pressed(cell, () => run(cell, cells));

/** All cells, in order; Stop ends them all. */
export async function runAll(_, cells) {
    const line = document.querySelector('.run-all');
    const status = line.querySelector('[role="status"]') ?? line.appendChild(element('span', { role: 'status' }));
    const folded = () => (cells.some(isFolded) ? '; some results are in closed boxes' : '');
    const say = done => (status.textContent = ` ${done} of ${cells.length} done${folded()}`);
    for (const [done, cell] of cells.entries()) {
        say(done);
        if (!(await run(cell, cells))) {
            return;
        }
    }
    say(cells.length);
}
