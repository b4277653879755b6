// What came out of a run, in the cell: one table with what was recorded, and what the simulator says.

import { leading, note, printed, said, steps } from './card_result.js';
import { compare } from './compare.js';
import { differences } from './controls.js';
import { button, counted, element, framed, parsed, save } from './html.js';
import * as listings from './listings.js';
import { linked } from './said.js';

/** What was recorded where the page runs the cell: on the simulator, or on a CPU. */
const recordedHere = cell =>
    cell.element.querySelector(`.cell-out.recorded[data-kind="${cell.live.simulated ? 'sim' : 'cpu'}"]`);

const yours = () => element('strong', { textContent: 'Yours, in this page' });

/** Shows `parts` in the recorded figure, else in one of their own, below a line that says what they are `of`;
    where `keepsRecord`, below what was recorded. */
function put(cell, of, keepsRecord, ...parts) {
    let figure = recordedHere(cell);
    const isOwn = !figure;
    if (isOwn) {
        const label = element('span', { className: 'cell-label', textContent: `Out [${cell.number}]` });
        const where = element('strong', { textContent: 'On the simulator, in this page' });
        figure = element('figure', { className: 'cell-out live' },
            element('p', { className: 'cell-head' }, label, ' ', where, ` · ${of}`));
        cell.element.append(figure);
    }
    figure.classList.toggle('replaced', !keepsRecord);
    const head = isOwn || keepsRecord ? []
        : [element('p', { className: 'cell-head yours' }, yours(), ` · ${of}`)];
    figure.querySelector('.cell-head').after(element('div', { className: 'live-out' }, ...head, ...parts));
}

/** What the controls say beyond the size: `order of turns 3`, `what if: no barrier`. */
function besides({ form }, whatIf, edited) {
    const { schedule, orders, seed, 'pending-launches': room } = Object.fromEntries(new FormData(form));
    const also = [
        edited && `your kernel, compiled by ${edited.compiler}`,
        orders ? 'every order' : Number(schedule) && `order of turns ${schedule}`,
        Number(seed) !== 1 && `seed ${seed}`,
        room && `room for ${room} launches`,
        whatIf && `what if: ${whatIf.label.replaceAll('`', '')}`,
    ];
    return also.filter(Boolean);
}

const SEE = 'See it in the listing.';

/** What makes links of lines' numbers, which lead to the listings; and `see`, a link to the first of them. */
function leads(cell) {
    const found = { see: undefined };
    found.lead = (file, line, number) => {
        const target = listings.target(cell, file, line);
        const link = words => leading(words, () => listings.reveal(file, line), `#${target}`);
        found.see ??= target && link(SEE);
        return target ? link(number) : number;
    };
    return found;
}

/** The message as the terminal shows it, of `kernel` if that is known. */
function message(cell, kernel, text, who = 'The simulator') {
    const found = leads(cell);
    const shown = said(text, found.lead);
    const whose = kernel ? [' of ', element('code', { textContent: kernel })] : [];
    return [note(...(found.see ? [found.see, ' '] : []), `${who} says`, ...whose, ':'), shown];
}

/** The first message, and the others folded; one that stands in the recorded run comes last. */
function messages(cell, { record, stderr, status }) {
    const known = recordedMessage(cell)?.textContent.trim();
    const isKnown = run => run.message.trim() === known;
    const runs = record.runs.filter(run => run.message)
        .sort((a, b) => Number(isKnown(a)) - Number(isKnown(b)));
    const all = runs.map(run => message(cell, run.kernel, run.message));
    if (all.length === 0 && status !== 0 && stderr) {
        all.push(message(cell, null, stderr)); // of a run that was stopped
    }
    const [first = [], ...others] = all;
    const summary = element('summary', { textContent: counted(others.length, 'more message') });
    return others.length ? [...first, element('details', {}, summary, ...others.flat())] : first;
}

const recordedMessage = cell => recordedHere(cell)?.querySelector(':scope > pre > code');

/** Whether the simulator says what it said when the recorded run was made, if the cell shows that. */
function saysTheSame(cell, { record }) {
    const said = record.runs.find(run => run.message)?.message.trim() ?? '';
    return !cell.live.message || said === (recordedMessage(cell)?.textContent.trim() ?? '');
}

/** One line below the recorded run of the same input, which stays. */
function identical(cell, { headline, record: { seed } }) {
    const code = recordedMessage(cell);
    const found = leads(cell);
    code?.replaceChildren(...linked(code.textContent, found.lead));
    const [input] = headline.split(';');
    const line = note(yours(), ` · ${input}, seed ${seed}: identical to the recorded run of the same.`,
        ...(found.see ? [' ', found.see] : []));
    line.classList.add('same');
    return [line];
}

/** Where a table counts instructions, as compilers differ in them. */
const COUNTS = /<th[^>]*>warp inst\./;

/** What takes the place of the recorded run. */
function different(cell, answer, both, edited) {
    const recorded = recordedHere(cell);
    const nvcc = edited && recorded?.querySelector('figcaption')?.textContent.match(/nvcc [\d.]+/)?.[0];
    return [
        ...(answer.record.runs.length ? [framed(both ?? parsed(answer.table).querySelector('table'),
            `Out [${cell.number}]: your run`)] : []),
        ...(both || !recorded || answer.record.runs.length === 0 ? []
            : [note('Every number of this table is as recorded.')]),
        ...(nvcc && COUNTS.test(answer.table) ? [note(`Yours is compiled by ${edited.compiler} in this ` +
            `page, the recorded one by ${nvcc}: for that reason alone, counts of instructions can differ ` +
            `by some percent.`)] : []),
        ...answer.notes.map(text => note(text)),
        ...answer.record.runs.filter(run => run.orders)
            .map(run => note(element('code', { textContent: run.kernel }), `: ${run.orders}.`)),
        ...messages(cell, answer),
        ...(answer.printed ?? []).flatMap(({ kernel, lines }) => printed(lines, leads(cell).lead, kernel)),
    ];
}

/** `1,234` as 1234; quoted where it has to be. */
function csv(text) {
    const value = text.trim().replace(/^-?\d{1,3}(,\d{3})+$/, number => number.replaceAll(',', ''));
    return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** A button that gives the reader a file, ch3_blocks-cell-2.csv. */
function file(cell, kind, type, text) {
    const page = location.pathname.split('/').at(-1).replace(/\.html$/, '') || 'index';
    return button(kind, () => save(`${page}-${cell.element.id}.${kind.toLowerCase()}`, text(), type));
}

/** The table and the record as files. */
function files(cell, answer) {
    const rows = () => [...parsed(answer.table).querySelectorAll('tr')].map(row =>
        [...row.cells].map(cell => csv(cell.textContent)).join(','));
    const record = () => JSON.stringify({ ...answer.record, diagnostics: answer.diagnostics }, null, 2);
    return element('p', { className: 'cell-note cell-files' }, 'Download ',
        file(cell, 'CSV', 'text/csv', () => `${rows().join('\n')}\n`),
        file(cell, 'JSON', 'application/json', record));
}

const DATE = /\d{4}-\d\d-\d\d/g;

/** Puts the drawing below the result, unless it is the recorded one and that is in view; it is a file in any
    case. */
export function addChart(cell, { chart }) {
    const frame = parsed(chart ?? '').querySelector('.chart-frame');
    const figure = cell.element.querySelector('.cell-out:has(> .live-out)');
    const recorded = figure?.querySelector(':scope > .chart-frame');
    const isInView = recorded && !figure.matches('.replaced');
    const drawn = ({ innerHTML }) => innerHTML.replace(DATE, '');
    if (!frame || !figure) {
        return;
    }
    const svg = frame.querySelector('svg');
    const line = figure.querySelector('.cell-files');
    line.append(file(cell, 'SVG', 'image/svg+xml', () => new XMLSerializer().serializeToString(svg)));
    if (!(isInView && drawn(recorded) === drawn(frame))) {
        line.before(frame);
        window.workbook.watch(frame);
    }
}

/** The table of a figure, as it was built. */
const tableOf = figure => figure.querySelector(':scope > .table-frame table');

/** Shows `answer` in place of what the cell has shown. */
export function show(cell, answer, whatIf, edited) {
    remove(cell);
    listings.showFound(cell, answer.diagnostics);
    const of = [answer.headline, ...besides(cell, whatIf, edited)].join(' · ');
    const recorded = recordedHere(cell);
    const both = compare(tableOf(recorded ?? cell.element.querySelector('.cell-out')),
        parsed(answer.table).querySelector('table'));
    const isSame = recorded && !both && !edited && !cell.live.isOther && differences(cell).length === 0
        && saysTheSame(cell, answer);
    const parts = isSame ? identical(cell, answer) : different(cell, answer, both, edited);
    const played = answer.films?.length ? [steps(answer.films)] : [];
    put(cell, of, isSame, ...parts, ...played, files(cell, answer));
}

/** What the compiler says of a source that it takes, below the result and above its files. */
export function showWarnings(cell, { compiler, said }, found) {
    listings.showFound(cell, found);
    cell.element.querySelector('.live-out > .cell-files').before(...message(cell, null, said, compiler));
}

/** What cures what was found, below the messages. */
export const showCures = (cell, cures) => cell.element.querySelector('.live-out > .cell-files')
    .before(...cures);

/** What the compiler says of a source that it refuses, in place of a result. */
export function showRefused(cell, { compiler, said }, found) {
    remove(cell);
    listings.showFound(cell, found);
    put(cell, 'your kernel', false, ...message(cell, null, said, compiler));
}

/** The cell as it was recorded. */
export function remove(cell) {
    cell.element.querySelectorAll('.live-out, .cell-out.live').forEach(part => part.remove());
    cell.element.querySelector('.replaced')?.classList.remove('replaced');
    listings.clearFound(cell);
    for (const link of cell.element.querySelectorAll('.cell-out pre > code a')) {
        link.replaceWith(link.textContent);
    }
}

/** Whether a table has all kernels of another. */
const hasAll = (table, other) => {
    const [names, others] = [table, other].map(({ tBodies: [body] }) =>
        [...body.rows].map(row => row.cells[0].textContent));
    return others.every(name => names.includes(name));
};

/** The reader's own run from the terminal beside the recorded one of the same kind of device: both heads,
    what differs, and one table. */
export function compareOwnRuns() {
    for (const own of document.querySelectorAll('.cell-out.local')) {
        const recorded = own.previousElementSibling;
        const frames = [recorded, own].map(figure => figure.querySelector(':scope > .table-frame'));
        if (!recorded.matches('.recorded') || !frames.every(Boolean)) {
            continue;
        }
        const [there, here] = frames.map(frame => frame.querySelector('table'));
        if (!hasAll(here, there)) {
            continue;
        }
        const both = compare(there, here);
        if (!both) {
            own.classList.add('identical');
            continue;
        }
        const [head, differs] = ['.cell-head', '.differs'].map(part => own.querySelector(`:scope > ${part}`));
        const about = [head, differs].filter(Boolean)
            .map(part => /** @type {Element} */ (part.cloneNode(true)));
        about[0].querySelector('.cell-label')?.replaceChildren();
        const together = element('div', { className: 'own-beside' }, ...about,
            framed(both, 'Recorded, and yours'));
        frames[0].before(together);
        [recorded, own].forEach(figure => figure.classList.add('in-one-table'));
    }
}
