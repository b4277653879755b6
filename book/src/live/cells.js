// Runs a cell and shows what came out. theme/live.js fetches this when somebody first reaches for a cell.

import * as simulator from './simulator.js';
import { remove, show } from './result.js';
import * as listings from './listings.js';

export { compareOwnRuns } from './result.js';

const build = (stem, whatIf) => (whatIf ? `${stem}.${whatIf.name}.json` : `${stem}.json`);
let stopped = false;

export const warm = ({ live }) => simulator.warm(build(live.stem));

export function stop() {
    stopped = true;
    simulator.stop();
}

const thousandths = seconds => `${seconds < 1 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;

/** What went wrong, or that nothing did, in a few words. */
function verdict({ record }) {
    const wrong = record.runs.filter(run => !run.ok);
    const words = run => `${run.kernel}: ${run.found?.join(', ') ?? 'wrong result'}`;
    return wrong.length ? wrong.map(words).join('; ') : record.runs.length > 1 ? 'all results are right' : 'the result is right';
}

/** The bar, the button and the status of a cell that is running. */
function running({ form }, on) {
    const progress = form.querySelector('progress');
    form.classList.toggle('running', on);
    form.querySelector('.cell-run').textContent = on ? 'Stop' : 'Run';
    progress.hidden = !on;
    progress.value = 0;
    return value => (progress.value = value);
}

/** Runs `cell`; whether those after it may follow. */
export async function run(cell, request, whatIf) {
    const status = cell.form.querySelector('.cell-status');
    const { columns, chart, scale } = cell.live;
    stopped = false;
    status.textContent = 'Waiting …';
    try {
        const progress = value => (cell.form.querySelector('progress').value = value);
        const name = build(cell.live.stem, whatIf);
        const wanted = columns.length && !columns.includes('check') ? [...columns, 'check'] : columns;
        const began = () => {
            running(cell, true);
            status.textContent = 'Running …';
        };
        const { answer, seconds, sentence } = await simulator.run(name, { ...request, columns: wanted, chart, scale, steps: false }, began, progress);
        const error = sentence ?? answer.error;
        if (error) {
            status.textContent = error;
            return !stopped;
        }
        show(cell, answer, whatIf);
        status.textContent = `Done in ${thousandths(seconds)}: ${verdict(answer)}.`;
        return true;
    } finally {
        running(cell, false);
    }
}

export const showWhatIf = listings.showWhatIf;

export function reset(cell) {
    if (cell.form.classList.contains('running')) {
        stop();
    }
    remove(cell);
    listings.forget(cell);
}
