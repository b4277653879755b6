// The listings of the page: lines that a diagnostic is about, and lines that a what-if changes, are marked
// there.

import { Code } from './card_code.js';
import { element, highlight, parsed } from './html.js';
import { sites } from './said.js';

/** `12+3,20+1` → 12, 13, 14, 20 */
const numbers = spans => spans.split(',').flatMap(span => {
    const [first, count] = span.split('+').map(Number);
    return Array.from({ length: count }, (_, i) => first + i);
});

/** `lines`: of which lines of its file it consists now. */
const listings = [...document.querySelectorAll('p.listing[data-lines]')].map(caption => {
    const before = caption.previousElementSibling;
    const pre = before.matches('pre') ? before : before.querySelector('pre');
    const lines = numbers(caption.dataset.lines);
    return {
        caption,
        pre,
        code: new Code(pre, pre.closest('.listing-marked') ?? pre),
        file: caption.querySelector(':scope > code').textContent,
        anchor: caption.dataset.anchor,
        printedLines: lines,
        lines,
        indent: Number(caption.dataset.indent ?? 0),
        owner: null,
        printed: pre.querySelector('code').innerHTML,
        shown: '0 ',
        /** Shows what differs from the printed text, while the reader has that open. */
        showDiff: null,
    };
});

export const of = caption => listings.find(listing => listing.caption === caption);
export const ofFile = path => listings.filter(({ file }) => file === path);

/** The same line may stand in several listings: [listing, place of the line in it]. */
const places = (file, line) =>
    listings.filter(listing => listing.file === file && listing.lines.includes(line))
        .map(listing => [listing, listing.lines.indexOf(line)]);

const markId = (cell, kind, file, line) => `${kind}-${cell.number}-${file.replace(/\W/g, '-')}-${line}`;

/** Marks a line wherever it stands, with a few words that lead to the cell. The listing nearest above the
    cell has the name that links lead to.
    @param {any} cell
    @param {string} kind
    @param {import('./said.js').Site} site */
function mark(cell, kind, site) {
    const { file, line, words, sentence, help, others } = site;
    const id = markId(cell, kind, file, line);
    const all = places(file, line);
    for (const [listing] of all) {
        const isThere = other => other.cell === cell.number && other.kind === kind && other.line === line
            && other.words === words;
        if (!listing.code.marks.some(isThere)) {
            listing.code.mark({ cell: cell.number, kind, line, words, sentence, help, others,
                go: (...to) => go(cell, ...to) });
        }
    }
    const known = document.getElementById(id);
    if (known) {
        known.querySelector('a').title += `\n${sentence}`;
        return; // a line of a diagnostic, which has words
    }
    const isAbove = ([{ pre }]) =>
        pre.compareDocumentPosition(cell.element) & Node.DOCUMENT_POSITION_FOLLOWING;
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

function unmark(cell, kind) {
    document.querySelectorAll(`.line-mark.${kind}[data-cell="${cell.number}"]`)
        .forEach(band => band.remove());
    listings.forEach(({ code }) => code.unmark(kind, cell.number));
}

/** The name of the mark of a diagnostic at this line, if the line is on the page. */
export function target(cell, file, line) {
    const id = markId(cell, 'found', file, line);
    return document.getElementById(id) && id;
}

/** Goes to a line in the editor that has it; whether there is one. */
export function reveal(file, line) {
    const editor = places(file, line).map(([{ code }]) => code.editor).find(Boolean);
    editor?.reveal(line);
    return Boolean(editor);
}

/** Goes to a line that a diagnostic of the cell names. */
function go(cell, file, line) {
    if (!reveal(file, line)) {
        document.getElementById(target(cell, file, line))?.scrollIntoView({ block: 'center' });
    }
}

/** Both sides of a race, and whatever else a diagnostic names. */
export function showFound(cell, diagnostics) {
    sites(diagnostics).filter(({ file }) => file).forEach(site => mark(cell, 'found', site));
}

export const clearFound = cell => unmark(cell, 'found');

function showPrinted(listing) {
    listing.pre.querySelector('code').innerHTML = listing.printed;
    listing.lines = listing.printedLines;
}

/** Shows the `part` that the listing has of its edited file, { first, lines }, where that is not as
    `printed`. */
export function showPart(listing, part, printed) {
    const text = part?.lines.join('\n');
    const isEdited = Boolean(part) && text !== printed.lines.join('\n');
    const moved = part ? part.first - printed.first : 0;
    const shown = `${moved} ${isEdited ? text : ''}`;
    if (shown === listing.shown) {
        return;
    }
    listing.shown = shown;
    // They would lie over other lines now; in the editor they move with theirs.
    listing.pre.querySelectorAll('.line-mark').forEach(band => band.remove());
    listing.caption.classList.toggle('edited', isEdited);
    listing.pre.closest('.listing-marked')?.classList.toggle('edited', isEdited);
    showPrinted(listing);
    listing.lines = isEdited ? part.lines.map((_, place) => part.first + place)
        : listing.lines.map(line => line + moved);
    if (isEdited) {
        const moveLeft = line => line.slice(0, listing.indent).trimStart() + line.slice(listing.indent);
        highlight(listing.pre.querySelector('code'), part.lines.map(moveLeft).join('\n'));
    }
}

/** The listings as they are printed, where the cell has changed them. */
export function forget(cell) {
    unmark(cell, 'edited');
    for (const listing of listings.filter(({ owner }) => owner === cell.number)) {
        showPrinted(listing);
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
        const changes = whatIf.lines.map(({ line, text }) => [listing.lines.indexOf(line), text])
            .filter(([place]) => place >= 0);
        if (changes.length) {
            const text = parsed(listing.printed).textContent.split('\n');
            changes.forEach(([place, line]) => (text[place] = line.slice(listing.indent)));
            highlight(listing.pre.querySelector('code'), text.join('\n'));
            listing.owner = cell.number;
        }
    }
    const note = cell.form.querySelector('.what-if-lines');
    const label = whatIf.label.replaceAll('`', '');
    const begins = line => !whatIf.lines.some(other => other.line === line - 1);
    note.replaceChildren(...whatIf.lines.map(({ line, text }) => {
        mark(cell, 'edited', { file, line, words: begins(line) ? label : '', sentence: `What if: ${label}` });
        const id = markId(cell, 'edited', file, line);
        const where = document.getElementById(id)
            ? element('a', { href: `#${id}`, textContent: `line ${line}` }) : `line ${line}`;
        return element('span', {}, where, ' ', element('code', { textContent: text.trim() || '(gone)' }));
    }));
    note.hidden = false;
}
