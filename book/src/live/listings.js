// The listings of the page: lines that a diagnostic is about, and lines that a what-if changes, are marked there.

import { element, parsed } from './html.js';

/** `12+3,20+1` → 12, 13, 14, 20 */
const numbers = spans => spans.split(',').flatMap(span => {
    const [first, count] = span.split('+').map(Number);
    return Array.from({ length: count }, (_, i) => first + i);
});

const listings = [...document.querySelectorAll('p.listing[data-lines]')].map(caption => {
    const before = caption.previousElementSibling;
    return {
        pre: before.matches('pre') ? before : before.querySelector('pre'),
        file: caption.querySelector(':scope > code').textContent,
        lines: numbers(caption.dataset.lines),
        indent: Number(caption.dataset.indent ?? 0),
        owner: null,
        printed: '',
    };
});

/** The same line may stand in several listings: [listing, place of the line in it]. */
const places = (file, line) =>
    listings.filter(listing => listing.file === file && listing.lines.includes(line)).map(listing => [listing, listing.lines.indexOf(line)]);

const markId = (cell, kind, file, line) => `${kind}-${cell.number}-${file.replace(/\W/g, '-')}-${line}`;

/** Marks a line wherever it stands, with a few words that lead to the cell. The listing nearest above the cell has the
    name that links lead to. */
function mark(cell, kind, file, line, words, sentence) {
    const id = markId(cell, kind, file, line);
    const known = document.getElementById(id);
    if (known) {
        known.querySelector('a').title += `\n${sentence}`;
        return; // a line of a diagnostic, which has words
    }
    const all = places(file, line);
    const isAbove = ([{ pre }]) => pre.compareDocumentPosition(cell.element) & Node.DOCUMENT_POSITION_FOLLOWING;
    const nearest = all.findLast(isAbove) ?? all[0];
    for (const [listing, place] of all) {
        const link = element('a', { href: `#${cell.element.id}`, textContent: words, title: sentence });
        const band = element('span', { className: `line-mark ${kind}` }, ...(words ? [link] : []));
        band.style.setProperty('--line', place);
        band.dataset.cell = cell.number;
        if (listing === nearest[0]) {
            band.id = id;
        }
        listing.pre.append(band);
    }
}

const unmark = (cell, kind) =>
    document.querySelectorAll(`.line-mark.${kind}[data-cell="${cell.number}"]`).forEach(band => band.remove());

/** The name of the mark of a diagnostic at this line, if the line is on the page. */
export function target(cell, file, line) {
    const id = markId(cell, 'found', file, line);
    return document.getElementById(id) && id;
}

/** Both sides of a race, and whatever else a diagnostic names. */
export function showFound(cell, diagnostics) {
    for (const { kind, file, line, message, related = [] } of diagnostics) {
        if (file) {
            mark(cell, 'found', file, line, kind, message);
        }
        related.forEach(site => mark(cell, 'found', site.file, site.line, site.message, message));
    }
}

export const clearFound = cell => unmark(cell, 'found');

function rewrite(listing, cell, changes) {
    const code = listing.pre.querySelector('code');
    if (listing.owner === null) {
        listing.printed = code.innerHTML;
    }
    listing.owner = cell.number;
    const text = parsed(listing.printed).textContent.split('\n');
    changes.forEach(([place, line]) => (text[place] = line.slice(listing.indent)));
    code.textContent = text.join('\n');
    window.hljs?.highlightBlock(code);
}

/** The listings as they are printed, where the cell has changed them. */
export function forget(cell) {
    unmark(cell, 'edited');
    for (const listing of listings.filter(({ owner }) => owner === cell.number)) {
        listing.pre.querySelector('code').innerHTML = listing.printed;
        listing.owner = null;
    }
    const note = cell.form.querySelector('.what-if-lines');
    if (note) {
        note.hidden = true;
    }
}

/** Shows the changed lines in the listings, marked, and below the switch. */
export function showWhatIf(cell, whatIf) {
    forget(cell);
    if (!whatIf) {
        return;
    }
    const { file } = cell.live;
    for (const listing of listings.filter(listing => listing.file === file)) {
        const changes = whatIf.lines.map(({ line, text }) => [listing.lines.indexOf(line), text]).filter(([place]) => place >= 0);
        if (changes.length) {
            rewrite(listing, cell, changes);
        }
    }
    const note = cell.form.querySelector('.what-if-lines');
    const label = whatIf.label.replaceAll('`', '');
    const begins = line => !whatIf.lines.some(other => other.line === line - 1);
    note.replaceChildren(...whatIf.lines.map(({ line, text }) => {
        mark(cell, 'edited', file, line, begins(line) ? label : '', `What if: ${label}`);
        const id = markId(cell, 'edited', file, line);
        const where = document.getElementById(id) ? element('a', { href: `#${id}`, textContent: `line ${line}` }) : `line ${line}`;
        return element('span', {}, where, ' ', element('code', { textContent: text.trim() || '(gone)' }));
    }));
    note.hidden = false;
}
