// What came out of a run, in the cell: one table with what was recorded, and what the simulator says.

import { compare } from './compare.js';
import { differences } from './controls.js';
import { counted, element, framed, parsed, save, terminal } from './html.js';
import * as listings from './listings.js';
import { linked } from './said.js';
import { folded } from './steps.js';

/** What was recorded where the page runs the cell: on the simulator, or on a CPU. */
const recordedHere = cell => cell.element.querySelector(`.cell-out.recorded[data-kind="${cell.live.simulated ? 'sim' : 'cpu'}"]`);

/** The figure for the result: the recorded one, else one of its own. */
function place(cell, head) {
    const recorded = recordedHere(cell);
    if (recorded) {
        return recorded;
    }
    const figure = element('figure', { className: 'cell-out live' });
    const label = element('span', { className: 'cell-label', textContent: `Out [${cell.number}]` });
    const where = element('strong', { textContent: 'On the simulator, in this page' });
    figure.append(element('p', { className: 'cell-head' }, label, ' ', where, ` · ${head}`));
    cell.element.append(figure);
    return figure;
}

/** What the controls say beyond the size: `order of turns 3`, `what if: no barrier`. */
function besides({ form }, whatIf, edited) {
    const { schedule, seed, 'pending-launches': room } = Object.fromEntries(new FormData(form));
    const also = [
        edited && `your kernel, compiled by ${edited.compiler}`,
        Number(schedule) && `order of turns ${schedule}`,
        Number(seed) !== 1 && `seed ${seed}`,
        room && `room for ${room} launches`,
        whatIf && `what if: ${whatIf.label.replaceAll('`', '')}`,
    ];
    return also.filter(Boolean);
}

const SEE = 'See it in the listing.';

/** `text` in pieces, of which the lines' numbers lead to the listings; and a link to the first of these lines. */
function led(cell, text) {
    let see;
    const pieces = linked(text, (file, line, number) => {
        const target = listings.target(cell, file, line);
        const link = textContent => element('a', { href: `#${target}`, textContent, onclick: event => listings.reveal(file, line) && event.preventDefault() });
        see ??= target && link(SEE);
        return target ? link(number) : number;
    });
    return [pieces, see ? [' ', see] : []];
}

/** The message as the terminal shows it, of `kernel` if that is known. */
function message(cell, kernel, text, who = 'The simulator') {
    const [pieces, see] = led(cell, `${text.trimEnd()}\n`);
    const whose = kernel ? [' of ', element('code', { textContent: kernel })] : [];
    return [element('p', { className: 'cell-note' }, `${who} says`, ...whose, ':', ...see), terminal(...pieces)];
}

/** The first message, and the others folded; one that stands in the recorded run comes last. */
function messages(cell, figure, { record, stderr, status }) {
    const known = recordedMessage(figure)?.textContent.trim();
    const isKnown = run => run.message.trim() === known;
    const runs = record.runs.filter(run => run.message).sort((a, b) => isKnown(a) - isKnown(b));
    const said = runs.map(run => message(cell, run.kernel, run.message));
    if (said.length === 0 && status !== 0 && stderr) {
        said.push(message(cell, null, stderr)); // of a run that was stopped
    }
    const [first = [], ...others] = said;
    if (others.length === 0) {
        return first;
    }
    const summary = element('summary', { textContent: counted(others.length, 'more message') });
    return [...first, element('details', {}, summary, ...others.flat())];
}

const recordedMessage = figure => figure.querySelector(':scope > pre > code');

/** Whether the simulator says what it said when the recorded run was made, if the cell shows that. */
function saysTheSame(cell, figure, { record }) {
    const said = record.runs.find(run => run.message)?.message.trim() ?? '';
    return !cell.live.message || said === (recordedMessage(figure)?.textContent.trim() ?? '');
}

/** One line below the recorded run of the same input, which stays. */
function identical(cell, figure, { headline, record: { seed } }) {
    const code = recordedMessage(figure);
    const [pieces, see] = led(cell, code?.textContent ?? '');
    code?.replaceChildren(...pieces);
    const [input] = headline.split(';');
    const yours = element('strong', { textContent: 'Yours, in this page' });
    return [element('p', { className: 'cell-note same' }, yours, ` · ${input}, seed ${seed}: identical to the recorded run of the same.`, ...see)];
}

/** Counts of two compilers differ a little by themselves. */
function twoCompilers(figure, edited) {
    const recorded = edited && figure.matches('.recorded') && figure.querySelector('figcaption')?.textContent.match(/nvcc [\d.]+/)?.[0];
    return recorded ? [element('p', { className: 'cell-note', textContent: `Yours is compiled by ${edited.compiler} in this page, the recorded one by ${recorded}: for that reason alone, counts of instructions can differ by some percent.` })] : [];
}

/** What takes the place of the recorded run. */
function different(cell, figure, answer, head, both, edited) {
    const whose = element('p', { className: 'cell-head yours' }, element('strong', { textContent: 'Yours, in this page' }), ` · ${head}`);
    return [
        ...(recordedHere(cell) ? [whose] : []),
        ...(answer.record.runs.length ? [framed(both ?? parsed(answer.table).querySelector('table'), `Out [${cell.number}]: your run`)] : []),
        ...(both || !recordedHere(cell) ? [] : [element('p', { className: 'cell-note', textContent: 'Every number of this table is as recorded.' })]),
        ...twoCompilers(figure, edited),
        ...answer.notes.map(note => element('p', { className: 'cell-note', textContent: note })),
        ...messages(cell, figure, answer),
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
    const onclick = () => save(`${page}-${cell.element.id}.${kind.toLowerCase()}`, text(), type);
    return element('button', { type: 'button', textContent: kind, onclick });
}

/** The table and the record as files. */
function files(cell, answer) {
    const rows = () => [...parsed(answer.table).querySelectorAll('tr')].map(row => [...row.cells].map(cell => csv(cell.textContent)).join(','));
    const record = () => JSON.stringify({ ...answer.record, diagnostics: answer.diagnostics }, null, 2);
    return element('p', { className: 'cell-note cell-files' }, 'Download ',
        file(cell, 'CSV', 'text/csv', () => `${rows().join('\n')}\n`), file(cell, 'JSON', 'application/json', record));
}

const DATE = /\d{4}-\d\d-\d\d/g;

/** Puts the drawing below the result, unless it is the recorded one and that is in view; it is a file in any case. */
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

/** Shows `answer` in place of what the cell has shown. */
export function show(cell, answer, whatIf, edited) {
    remove(cell);
    listings.showFound(cell, answer.diagnostics);
    const also = besides(cell, whatIf, edited);
    const head = [answer.headline, ...also].join(' · ');
    const figure = place(cell, head);
    const recorded = (recordedHere(cell) ?? cell.element).querySelector('.table-frame table');
    const both = compare(recorded, parsed(answer.table).querySelector('table'));
    const isSame = figure.matches('.recorded') && !both && !edited && !cell.live.isOther && differences(cell).length === 0 && saysTheSame(cell, figure, answer);
    figure.classList.toggle('replaced', !isSame);
    const parts = isSame ? identical(cell, figure, answer) : different(cell, figure, answer, head, both, edited);
    const steps = answer.films?.length ? [folded(answer.films)] : [];
    figure.querySelector('.cell-head').after(element('div', { className: 'live-out' }, ...parts, ...steps, files(cell, answer)));
}

/** What the compiler says of a source that it takes, below the result and above its files. */
export function showWarnings(cell, { compiler, said }, found) {
    listings.showFound(cell, found);
    cell.element.querySelector('.live-out > .cell-files').before(...message(cell, null, said, compiler));
}

/** What the compiler says of a source that it refuses, in place of a result. */
export function showRefused(cell, { compiler, said }, found) {
    remove(cell);
    listings.showFound(cell, found);
    const figure = place(cell, 'your kernel');
    figure.classList.add('replaced');
    const head = element('p', { className: 'cell-head yours' }, element('strong', { textContent: 'Yours, in this page' }), ' · your kernel');
    const parts = [...(recordedHere(cell) ? [head] : []), ...message(cell, null, said, compiler)];
    figure.querySelector('.cell-head').after(element('div', { className: 'live-out' }, ...parts));
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

/** The reader's own run from the terminal, in one table with the recorded one of the same kind of device. */
export function compareOwnRuns() {
    for (const own of document.querySelectorAll('.cell-out.local')) {
        const recorded = own.previousElementSibling;
        const tables = [recorded, own].map(figure => figure.querySelector(':scope > .table-frame table'));
        const both = recorded.matches('.recorded') && tables.every(Boolean) && compare(...tables);
        if (both) {
            tables[1].replaceWith(both);
        }
    }
}
