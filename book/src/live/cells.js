// What a cell's controls do: run, stop, change, reset. theme/live.js fetches this when somebody first reaches for a cell.

import * as address from './address.js';
import * as builds from './build.js';
import { chosenWhatIf, command, differences, options } from './controls.js';
import * as edits from './edits.js';
import { element, stylesheet } from './html.js';
import * as listings from './listings.js';
import { keep } from './offline.js';
import { addChart, remove, show, showRefused } from './result.js';
import * as simulator from './simulator.js';
import { MOST } from './steps.js';
import * as workbench from './workbench.js';

export { compareOwnRuns } from './result.js';

/** The looks of results, before the first of them. */
const looks = stylesheet(new URL('live.css', import.meta.url));

const part = ({ form }, selector) => form.querySelector(selector);
/** In the cell, and where its kernels are being edited. */
const say = (cell, sentence) => [part(cell, '.cell-status'), ...document.querySelectorAll(`.workbench-status[data-cell="${cell.number}"]`)]
    .forEach(status => (status.textContent = sentence));
const isRunning = ({ form }) => form.classList.contains('running');

/** The cells that have run, and are to say so. */
const touched = new Set();

/** The command, the address and the way back follow the controls. */
function follow(cell, cells) {
    const isTouched = touched.has(cell) || differences(cell).length > 0;
    window.workbook.showCommand(cell.code, isTouched ? command(cell) : cell.command);
    part(cell, '.cell-reset').hidden = !isTouched;
    address.write(cells);
    showEdited(cell);
}

/** Whether the cell runs what the reader has written, and what its command then leaves out. */
function showEdited(cell) {
    const isEdited = Boolean(edits.edited(cell));
    const { file } = cell.live;
    let note = part(cell, '.cell-edited');
    if (isEdited && !note) {
        const code = text => element('code', { textContent: text });
        note = element('p', { className: 'cell-edited' }, element('strong', { textContent: 'Runs your kernel.' }),
            ' The command above does so where your file (', element('em', { textContent: 'Download' }), ') has taken the place of ', code(file), '.');
        part(cell, '.cell-status').before(note);
    } else if (!isEdited) {
        note?.remove();
    }
    const whatIf = part(cell, '.what-if');
    if (whatIf) {
        whatIf.disabled = isEdited;
        whatIf.title = isEdited ? 'Of the printed source: Reset your edit first' : '';
    }
}

export const warm = ({ live }) => simulator.warm(live);

export function change(cell, cells) {
    follow(cell, cells);
    listings.showWhatIf(cell, chosenWhatIf(cell));
}

export function reset(cell, cells) {
    stop(cell);
    Object.entries(cell.recorded).forEach(([name, value]) => (cell.form.elements[name].value = value));
    touched.delete(cell);
    remove(cell);
    listings.forget(cell);
    follow(cell, cells);
    say(cell, '');
    part(cell, '.cell-run').focus();
}

function showRunning(cell, on) {
    const benches = document.querySelectorAll(`.workbench[data-cell="${cell.number}"]`);
    [cell.form, ...benches].forEach(place => place.classList.toggle('running', on));
    const buttons = [...benches].map(bench => bench.querySelector('.workbench-run'));
    [part(cell, '.cell-run'), ...buttons].forEach(button => (button.textContent = on ? 'Stop' : 'Run'));
    Object.assign(part(cell, 'progress'), { hidden: !on, value: 0 });
}

/** How far it is; nothing, if it is not known. */
function showProgress(cell, fraction) {
    const bar = part(cell, 'progress');
    if (fraction === undefined) {
        bar.removeAttribute('value');
    } else {
        bar.value = fraction;
    }
}

/** Ends what the cell is at: waiting, compiling or running. */
const stop = cell => cell.stop?.();

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
async function compiled(cell, file, isCurrent) {
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
        return { source, ptx: made.ptx, newer: made.newer ?? '', compiler: made.compiler ?? 'clang' };
    }
    if (made.sentence) {
        say(cell, made.sentence);
        return undefined;
    }
    const found = builds.messages(made.said);
    showRefused(cell, made.said, found);
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
    const { stem, chart, scale } = cell.live;
    const words = options(cell);
    const isSmall = Number(cell.form.elements.n.value) <= MOST;
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
        const edited = file && (await compiled(cell, file, isCurrent));
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
            return simulator.run({ stem, whatIf: whatIf?.name, edited, options, show }, begin, progress);
        };
        const table = more => simulate([...words, '--no-sweep', ...more], { columns: columns(cell) });
        let outcome = await table(isSmall ? ['--steps'] : []);
        if (outcome.hasTrapped && isSmall) {
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
        firstRun ??= keep();
        firstEdit ??= edited && keep();
        const isOld = file && file.source !== edited.source;
        const done = `Done in ${inWords(seconds)}: ${verdict(answer)}.${isOld ? ' The code has changed since.' : ''}`;
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
        }
    }
}

export const runOrStop = (cell, cells) => (isRunning(cell) ? stop(cell) : run(cell, cells));

/** The edit of a file has changed: the cells that run it say so. */
function showEdits(file, cells) {
    for (const cell of cells.filter(({ live }) => live.file === file.path)) {
        follow(cell, cells);
        if (cell.element.querySelector('.live-out')) {
            say(cell, 'The code has changed since this result.');
        }
    }
}

const NOT_FETCHED = 'What runs the cell could not be fetched. Is the server still there?';

/** Opens the editor in the listing with this caption; a what-if that is shown there becomes the reader's. */
export async function edit(_, cells, caption) {
    const listing = listings.of(caption);
    const cell = workbench.cellOf(listing, cells);
    const file = await edits.open(cell);
    for (const other of cells.filter(({ live }) => live.file === file.path)) {
        const whatIf = chosenWhatIf(other);
        if (whatIf && file.source === file.printed) {
            const lines = file.printed.split('\n');
            whatIf.lines.forEach(({ line, text }) => (lines[line - 1] = text));
            edits.write(file, lines.join('\n'));
        }
        if (whatIf) {
            other.form.elements['what-if'].value = '';
            listings.forget(other);
            workbench.showSource(file);
        }
    }
    const press = async () => {
        try {
            await runOrStop(cell, cells);
        } catch {
            say(cell, NOT_FETCHED);
        }
    };
    const runAndGoOn = () => {
        (cells[cells.indexOf(cell) + 1] ?? cell).element.focus();
        press();
    };
    await workbench.open(listing, file, cell, { press, runAndGoOn, changed: () => showEdits(file, cells) });
    cells.forEach(cell => follow(cell, cells));
}

/** Brings back the reader's edits, and shows the code of a link; running it is left to the reader. */
export async function begin(_, cells) {
    await looks;
    for (const cell of cells.filter(edits.hasDraft)) {
        const file = await edits.open(cell);
        workbench.showSource(file);
        showEdits(file, cells);
    }
    if (!edits.isLink(location.hash)) {
        return;
    }
    const { hash } = location;
    history.replaceState(history.state, '', hash.split('&')[0]);
    const shared = await edits.fromLink(hash).catch(() => null);
    const cell = cells.find(({ element }) => `#${element.id}` === location.hash) ?? cells[0];
    if (shared?.file !== cell.live.file) {
        say(cell, 'The code in this link cannot be read. Was it cut off, or is it of another page?');
        return;
    }
    const file = await edits.open(cell);
    edits.write(file, shared.source, true);
    workbench.showSource(file);
    showEdits(file, cells);
    const listing = workbench.listingOf(cell, cells);
    await edit(cell, cells, listing.caption);
    listing.editor?.frame.scrollIntoView({ block: 'center' });
    say(cell, 'The code of a link. It runs when you press Run.');
}

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

/** What a shared address shows. */
export async function fromAddress(_, cells) {
    const shared = cells.filter(address.read);
    shared.forEach(cell => change(cell, cells));
    for (const cell of shared.filter(cell => !edits.edited(cell))) {
        await run(cell, cells);
    }
}
