// A run of a cell: waiting, compiling, running, and what comes of it.

import { follow, input, part, touched } from './bar.js';
import { perform, runOrStop as pressed, say } from './card.js';
import { MAX_ELEMENTS } from './card_result.js';
import { build, messages, refusal } from './compiler.js';
import { chosenWhatIf, options } from './controls.js';
import { addCures, offers } from './cures.js';
import * as edits from './edits.js';
import { counted, element } from './html.js';
import { recalled, remember } from './remembered.js';
import { addChart, remove, show, showCures, showRefused, showWarnings } from './result.js';
import * as simulator from './simulator.js';

/** Whether all results are right, or what is wrong; how many warnings there are, the `compiler`'s among them.
    */
function verdict({ status, record: { runs }, diagnostics }, compiler) {
    const wrong = runs.filter(run => !run.ok)
        .map(run => `${run.kernel}: ${[...new Set(run.found)].join(', ') || 'wrong result'}`);
    const last = diagnostics.at(-1);
    if (status !== 0 && wrong.length === 0 && last) {
        return `${last.kernel ?? 'the run'} was stopped: ${last.kind}`;
    }
    const warnings = [...diagnostics, ...compiler].filter(({ kind, severity = kind }) =>
        severity === 'warning').length;
    const right = runs.length > 1 ? 'all results are right' : 'the result is right';
    return wrong.join('; ') || (warnings > 0 ? `${right}, with ${counted(warnings, 'warning')}` : right);
}

/** How long ago that was: what the reader has waited for, the compiler too. */
const since = begun => {
    const seconds = (performance.now() - begun) / 1000;
    return `${seconds.toFixed(seconds < 1 ? 2 : 1)} s`;
};

/** Whether the cell belongs to the answer of a prediction that the reader has not opened: a run does not give
    it away. */
const isFolded = ({ element }) => Boolean(element.closest('details:not([open])'));

/** The columns of the recorded table, and whether the result is right. */
const columns = ({ live: { columns } }) => (columns.length && !columns.includes('check')
    ? [...columns, 'check'] : columns);

/** Where this tab remembers what the cell shows. */
const nameOf = ({ element }) => `run ${window.workbook.page} ${element.id}`;

/** Shows `came`, what a run has given: an answer, or what the compiler or the chapter's program said as it
    refused the kernels. */
function showCame(cell, came) {
    const { of, refused, answer, whatIf, edited, warnings, cures = [], chart, sentence } = came;
    if (refused) {
        showRefused(cell, refused, messages(refused.said));
    } else {
        show(cell, answer, whatIf, edited);
    }
    if (warnings) {
        showWarnings(cell, warnings, messages(warnings.said));
    }
    if (cures.length > 0) {
        showCures(cell, offers(cures, curesOf(cell)));
    }
    if (chart) {
        addChart(cell, { chart });
    }
    cell.ran = of;
    say(cell, sentence);
    remember(nameOf(cell), came);
}

/** What cures.js needs of a cell. */
const curesOf = cell => ({
    isOld: cell.isOld,
    say: sentence => say(cell, sentence),
    show: cures => showCures(cell, cures),
    take: cell.take,
});

/** The cell shows what it showed before a reload, if that is of the same controls and the same source;
    whether it does. */
export function recall(cell) {
    const came = recalled(nameOf(cell));
    const isKnown = came?.of === input(cell);
    if (isKnown) {
        touched.add(cell);
        showCame(cell, came);
    }
    return isKnown;
}

/** The cell as it was recorded. */
export function forget(cell) {
    remove(cell);
    remember(nameOf(cell), null);
}

/** What cures what was found in the reader's kernels, which the cell then offers. */
async function cured(cell, words, { edited, answer, sentence }, signal, tell) {
    const { stem, simulated, file } = cell.live;
    const run = await simulator.asked({ stem, simulated, edited, options: [...words, '--no-sweep'],
        show: {} });
    const diagnostics = answer.diagnostics.filter(found => found.file === file);
    return addCures({ run, diagnostics, sentence }, curesOf(cell), signal, tell);
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
    if (file) {
        tell('Compiling');
    }
    const { ptx, newer, compiler, said } = file ? await build(request, signal, tell) : {};
    if (file && !ptx) {
        showCame(cell, { of, refused: { compiler, said }, sentence: refusal(messages(said)) });
        return false;
    }
    const edited = file && { source: request.source, ptx, newer, compiler };
    const simulate = (options, show, tell) =>
        simulator.run({ stem, simulated, whatIf: whatIf?.name, edited, options, show }, signal, tell);
    const table = more => simulate([...words, '--no-sweep', ...more], { columns: columns(cell) }, tell);
    const { answer, error, said: refused } = await table(hasSteps ? ['--steps'] : []).catch(error => {
        // Its steps cannot be drawn.
        return hasSteps && error instanceof simulator.Trapped ? table([]) : Promise.reject(error);
    });
    const misfits = answer ? [] : messages(refused);
    if (misfits.length > 0) {
        const sentence = `It is not launched: line ${misfits[0].line}.`;
        showCame(cell, { of, refused: { compiler: 'The program of the chapter', said: refused }, sentence });
        return true;
    }
    if (!answer) {
        forget(cell);
        say(cell, error);
        return true;
    }
    const where = isFolded(cell) ? ' The table is in the closed box.' : '';
    const sentence = `Done in ${since(begun)}: ${verdict(answer, messages(said ?? ''))}.${where}`;
    const warnings = said && { compiler, said };
    const came = { of, answer: { ...answer, files: undefined }, whatIf, edited: edited && { compiler },
        warnings, sentence };
    showCame(cell, came);
    if (edited) {
        came.cures = await cured(cell, words, { edited, answer, sentence }, signal, tell);
        remember(nameOf(cell), came);
    }
    if (!chart) {
        return true;
    }
    // The recorded chart is of the record's own n and others, whichever of them the cell shows.
    const swept = isOwn ? words.filter(word => !word.startsWith('--n ')) : words;
    const drawing = (_, fraction) => tell(`${sentence} Drawing the chart`, fraction);
    const drawn = await simulate(swept, { chart, scale }, drawing).catch(error => {
        signal.throwIfAborted();
        return { answer: undefined, error: error.message };
    });
    if (drawn.answer?.chart) {
        addChart(cell, drawn.answer);
        remember(nameOf(cell), { ...came, chart: drawn.answer.chart });
    }
    say(cell, drawn.error ? `${sentence} The chart is as it was: ${drawn.error}` : sentence);
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
    const status = line.querySelector('[role="status"]')
        ?? line.appendChild(element('span', { role: 'status' }));
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
