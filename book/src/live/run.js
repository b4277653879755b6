// A run of a cell: waiting, compiling, running, and what comes of it.

import { follow, input, isRunning, part, say, showProgress, showRunning, touched } from './bar.js';
import * as builds from './build.js';
import { chosenWhatIf, options } from './controls.js';
import * as edits from './edits.js';
import { element } from './html.js';
import { keep } from './offline.js';
import { addChart, remove, show, showRefused, showWarnings } from './result.js';
import * as simulator from './simulator.js';
import { MOST } from './steps.js';

/** Ends what the cell is at: waiting, compiling or running. */
export const stop = cell => cell.stop?.();

/** Whether all results are right, or what is wrong. */
function verdict({ status, record: { runs }, diagnostics }) {
    const wrong = runs.filter(run => !run.ok).map(run => `${run.kernel}: ${[...new Set(run.found)].join(', ') || 'wrong result'}`);
    const last = diagnostics.at(-1);
    if (status !== 0 && wrong.length === 0 && last) {
        return `${last.kernel ?? 'the run'} was stopped: ${last.kind}`;
    }
    return wrong.join('; ') || (runs.length > 1 ? 'all results are right' : 'the result is right');
}

let firstRun;
let firstEdit;
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

const counted = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;

/** The reader's kernels, compiled; nothing, and the cell says why, if that does not come to be. */
async function compiled(cell, file, ran, isCurrent) {
    say(cell, 'Compiling …');
    const { source } = file;
    const made = await builds.build(file, (fraction, words) => {
        if (isCurrent()) {
            showProgress(cell, fraction);
            say(cell, `${words} …`);
        }
    });
    if (!isCurrent()) {
        return undefined;
    }
    if (made.ptx) {
        const { ptx, newer, compiler, said } = made;
        return { edited: { source, ptx, newer, compiler }, said };
    }
    if (made.sentence) {
        say(cell, made.sentence);
        return undefined;
    }
    const found = builds.messages(made.said);
    showRefused(cell, made, found);
    cell.ran = ran;
    const errors = found.filter(({ kind }) => kind === 'error');
    const [{ line } = {}] = errors;
    say(cell, `It does not compile: ${counted(errors.length, 'error')}${line ? `, line ${line}` : ''}.`);
    return undefined;
}

/** Runs the cell; whether those after it may follow. */
export async function run(cell, cells) {
    if (!cell.form.checkValidity()) {
        part(cell, '.cell-more').open = true;
        cell.form.reportValidity();
        return false;
    }
    const turn = (cell.turn = {});
    const isCurrent = () => cell.turn === turn && touched.has(cell);
    touched.add(cell);
    follow(cell, cells);
    const file = edits.edited(cell);
    const whatIf = file ? undefined : chosenWhatIf(cell);
    const { stem, simulated, chart, scale } = cell.live;
    const words = options(cell);
    const ran = input(cell);
    const hasSteps = simulated && Number(cell.form.elements.n.value) <= MOST;
    const giveUp = () => {
        cell.turn = cell.stop = undefined;
        showRunning(cell, false);
        say(cell, 'Stopped.');
    };
    cell.stop = () => {
        builds.stop();
        giveUp();
    };
    showRunning(cell, true);
    try {
        const { edited, said } = (file && (await compiled(cell, file, ran, isCurrent))) ?? {};
        if (!isCurrent() || (file && !edited)) {
            return false;
        }
        const begin = () => {
            if (isCurrent()) {
                cell.stop = simulator.stop;
                say(cell, 'Running …');
            }
            return isCurrent();
        };
        const progress = value => showProgress(cell, value);
        const simulate = (options, show) => {
            cell.stop = giveUp;
            say(cell, 'Waiting …');
            return simulator.run({ stem, simulated, whatIf: whatIf?.name, edited, options, show }, begin, progress);
        };
        const table = more => simulate([...words, '--no-sweep', ...more], { columns: columns(cell) });
        let outcome = await table(hasSteps ? ['--steps'] : []);
        if (outcome.hasTrapped && hasSteps) {
            outcome = await table([]); // its steps cannot be drawn
        }
        const { answer, seconds, sentence, error } = outcome;
        if (!isCurrent()) {
            return false; // reset in the meantime, or stopped before its turn
        }
        if (!answer) {
            remove(cell);
            say(cell, sentence ?? error);
            return sentence === undefined;
        }
        show(cell, answer, whatIf, edited);
        if (said) {
            showWarnings(cell, { compiler: edited.compiler, said }, builds.messages(said));
        }
        cell.ran = ran;
        firstRun ??= keep();
        firstEdit ??= edited && keep();
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
        if (cell.turn === turn) {
            cell.stop = undefined;
            showRunning(cell, false);
            follow(cell, cells); // what has changed since it began
        }
    }
}

export const runOrStop = (cell, cells) => (isRunning(cell) ? stop(cell) : run(cell, cells));

/** All cells, in order; Stop ends them all. */
export async function runAll(_, cells) {
    const line = document.querySelector('.run-all');
    const status = line.querySelector('[role="status"]') ?? line.appendChild(element('span', { role: 'status' }));
    const say = done => (status.textContent = ` ${done} of ${cells.length} done`);
    for (const [done, cell] of cells.entries()) {
        say(done);
        if (!(await run(cell, cells))) {
            return;
        }
    }
    say(cells.length);
}
