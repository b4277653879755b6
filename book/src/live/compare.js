// Two tables of the same kernels as one: what was recorded, yours, and how that has changed.

import { element } from './html.js';

const text = cell => cell.textContent.trim();
const NO_RATIO = ['sum', 'result', 'serial', 'within', 'check', 'grid'];

/** A table as { titles, rows: Map from kernel to cells }; cells are as in the page. */
function read(table) {
    const titles = [...table.tHead.rows[0].cells].map(text);
    const rows = new Map([...table.tBodies[0].rows].map(row =>
        [text(row.cells[0]), [...row.cells].map(text)]));
    return { table, titles, rows };
}

const column = ({ titles, rows }, title) => {
    const place = titles.indexOf(title);
    return place < 0 ? null : kernel => rows.get(kernel)?.[place] ?? '-';
};

const SECONDS = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 };

/** The number that a cell begins with, `1,234` or `1.60 ms [1.58 .. 1.63]`: times in seconds; NaN if there is
    none. */
function count(value) {
    const [, number, unit] = value.match(/^(-?[\d,]*\.?\d+)(?: (ns|µs|ms|s)\b)?/) ?? [];
    return number === undefined ? NaN : Number(number.replaceAll(',', '')) * (SECONDS[unit] ?? 1);
}

const digits = ratio => (ratio >= 9.95 ? Math.round(ratio).toLocaleString('en') : Number(ratio.toPrecision(2))
    .toString());

/** `÷ 2`, `× 1.5`, `=`; from or to nothing, nothing can be said. */
export function change(recorded, yours) {
    if (recorded === yours) {
        return '=';
    }
    const ratio = count(yours) / count(recorded);
    if (!(ratio > 0 && ratio < Infinity)) {
        return '';
    }
    const shown = digits(ratio > 1 ? ratio : 1 / ratio);
    return shown === '1' ? '≈' : `${ratio > 1 ? '×' : '÷'} ${shown}`;
}

/** The columns of the table to be: a title, then one to three columns below it, each with a cell per kernel.
    */
function columns(recorded, yours, kernels) {
    const same = (one, other) => kernels.every(kernel => one(kernel) === other(kernel));
    // First those that both have.
    const [known, news] = [true, false].map(isKnown => yours.titles.slice(1)
        .filter(title => recorded.titles.includes(title) === isKnown));
    const place = title => recorded.titles.indexOf(title);
    return [...known.sort((a, b) => place(a) - place(b)), ...news].flatMap(title => {
        const [one, other] = [column(recorded, title), column(yours, title)];
        if (!one) {
            const isNews = title !== 'check' || kernels.some(kernel => other(kernel) !== 'ok');
            return isNews ? [{ title, isNew: true, parts: [['', other]] }] : [];
        }
        if (same(one, other)) {
            return [{ title, isNew: false, parts: [['', other]] }];
        }
        const parts = [['recorded', one], ['yours', other]];
        if (!NO_RATIO.includes(title)) {
            parts.push(['change', kernel => change(one(kernel), other(kernel))]);
        }
        return [{ title, isNew: false, parts }];
    });
}

function draw(all, names, kernels) {
    const head = element('tr', {}, element('th', { scope: 'col', rowSpan: 2, textContent: 'kernel' }));
    const below = element('tr', {});
    for (const { title, parts } of all) {
        const whole = parts.length === 1;
        const span = whole ? { rowSpan: 2, scope: 'col' } : { colSpan: parts.length, scope: 'colgroup' };
        head.append(element('th', { ...span, className: whole ? 'number' : 'group', textContent: title }));
        if (!whole) {
            below.append(...parts.map(([part]) =>
                element('th', { scope: 'col', className: `number ${part}`, textContent: part })));
        }
    }
    const row = (kernel, place) => {
        const name = element('th', { scope: 'row' });
        name.append(...names[place].cloneNode(true).childNodes);
        const cells = all.flatMap(({ parts }) => parts)
            .map(([part, of]) => element('td', { className: `number ${part}`, textContent: of(kernel) }));
        return element('tr', {}, name, ...cells);
    };
    return element('table', { className: 'compared' },
        element('thead', {}, head, ...(below.cells.length ? [below] : [])),
        element('tbody', {}, ...kernels.map(row)));
}

/** One table of both; `null` if they say the same. */
export function compare(recordedTable, yourTable) {
    const [recorded, yours] = [read(recordedTable), read(yourTable)];
    const kernels = [...yours.rows.keys()];
    const all = columns(recorded, yours, kernels);
    const isSame = all.every(({ isNew, parts }) => parts.length === 1 && !isNew);
    return isSame ? null : draw(all, [...yourTable.tBodies[0].rows].map(row => row.cells[0]), kernels);
}
