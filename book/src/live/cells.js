// What a cell's controls do: run, stop, change, reset. theme/live.js fetches this when somebody first reaches for a cell.

import * as address from './address.js';
import { chosenWhatIf, command, differences, options } from './controls.js';
import * as listings from './listings.js';
import { keep } from './offline.js';
import { addChart, remove, show } from './result.js';
import * as simulator from './simulator.js';
import { MOST } from './steps.js';

export { compareOwnRuns } from './result.js';

/** The looks of results, before the first of them. */
export const ready = new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', onload: resolve, onerror: reject });
    link.href = new URL('live.css', import.meta.url);
    document.head.append(link);
});

const part = ({ form }, selector) => form.querySelector(selector);
const say = (cell, sentence) => (part(cell, '.cell-status').textContent = sentence);
const isRunning = ({ form }) => form.classList.contains('running');

/** The cells that have run, and are to say so. */
const touched = new Set();

/** The command, the address and the way back follow the controls. */
function follow(cell, cells) {
    const isTouched = touched.has(cell) || differences(cell).length > 0;
    window.workbook.showCommand(cell.code, isTouched ? command(cell) : cell.command);
    part(cell, '.cell-reset').hidden = !isTouched;
    address.write(cells);
}

export const warm = ({ live }) => simulator.warm(live);

export function change(cell, cells) {
    follow(cell, cells);
    listings.showWhatIf(cell, chosenWhatIf(cell));
}

export function reset(cell, cells) {
    if (isRunning(cell)) {
        simulator.stop();
    }
    Object.entries(cell.recorded).forEach(([name, value]) => (cell.form.elements[name].value = value));
    touched.delete(cell);
    remove(cell);
    listings.forget(cell);
    follow(cell, cells);
    say(cell, '');
    part(cell, '.cell-run').focus();
}

function showRunning(cell, on) {
    cell.form.classList.toggle('running', on);
    part(cell, '.cell-run').textContent = on ? 'Stop' : 'Run';
    Object.assign(part(cell, 'progress'), { hidden: !on, value: 0 });
    if (on) {
        say(cell, 'Running …');
    }
}

/** Whether all results are right, or what is wrong. */
function verdict({ status, record: { runs }, diagnostics }) {
    const wrong = runs.filter(run => !run.ok).map(run => `${run.kernel}: ${run.found?.join(', ') || 'wrong result'}`);
    const last = diagnostics.at(-1);
    if (status !== 0 && wrong.length === 0 && last) {
        return `${last.kernel ?? 'the run'} was stopped: ${last.kind}`;
    }
    return wrong.join('; ') || (runs.length > 1 ? 'all results are right' : 'the result is right');
}

let firstRun;
const inWords = seconds => `${seconds.toFixed(seconds < 1 ? 2 : 1)} s`;

/** The columns of the recorded table, and whether the result is right. */
const columns = ({ live: { columns } }) => (columns.length && !columns.includes('check') ? [...columns, 'check'] : columns);

/** The chart, which takes runs of other sizes, after the table; whether other cells may follow. */
async function draw(cell, simulate, done) {
    say(cell, `${done} Drawing the chart …`);
    const { answer, error, sentence = error } = await simulate();
    if (answer?.chart && touched.has(cell)) {
        addChart(cell, answer);
    }
    say(cell, sentence ? `${done} The chart is as it was: ${sentence}` : done);
    return sentence === undefined;
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
    say(cell, 'Waiting …');
    const whatIf = chosenWhatIf(cell);
    const { stem, chart, scale } = cell.live;
    const words = options(cell);
    const isSmall = Number(cell.form.elements.n.value) <= MOST;
    try {
        const begin = () => showRunning(cell, true);
        const progress = value => (part(cell, 'progress').value = value);
        const simulate = (options, show) => simulator.run({ stem, whatIf: whatIf?.name, options, show }, begin, progress);
        const table = more => simulate([...words, '--no-sweep', ...more], { columns: columns(cell) });
        let outcome = await table(isSmall ? ['--steps'] : []);
        if (outcome.hasTrapped && isSmall) {
            outcome = await table([]); // its steps cannot be drawn
        }
        const { answer, seconds, sentence, error } = outcome;
        if (!touched.has(cell)) {
            return false; // reset in the meantime
        }
        if (!answer) {
            remove(cell);
            say(cell, sentence ?? error);
            return sentence === undefined;
        }
        show(cell, answer, whatIf);
        firstRun ??= keep();
        const done = `Done in ${inWords(seconds)}: ${verdict(answer)}.`;
        say(cell, done);
        if (chart) {
            // The recorded chart is of the record's own n and others, whichever of them the cell shows.
            const isOwn = cell.form.elements.n.value === cell.recorded.n;
            const swept = isOwn ? words.filter(word => !word.startsWith('--n ')) : words;
            return await draw(cell, () => simulate(swept, { chart, scale }), done);
        }
        return true;
    } finally {
        showRunning(cell, false);
    }
}

export const runOrStop = (cell, cells) => (isRunning(cell) ? simulator.stop() : run(cell, cells));

/** All cells, in order; Stop ends them all. */
export async function runAll(_, cells) {
    for (const cell of cells) {
        if (!(await run(cell, cells))) {
            break;
        }
    }
}

/** What a shared address shows. */
export async function fromAddress(_, cells) {
    const shared = cells.filter(address.read);
    shared.forEach(cell => change(cell, cells));
    for (const cell of shared) {
        await run(cell, cells);
    }
}
