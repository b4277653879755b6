// What comes of a card's run, in the page: what was said, with links to the lines that it names; what was
// printed; steps.

import { element, parsed, stylesheet, terminal } from './html.js';
import { inParts, linked } from './said.js';

/** The looks of results, before the first of them. */
export const looks = () => stylesheet('card.css');

export const note = (...words) => element('p', { className: 'cell-note' }, ...words);

/** A link to a line, which calls `act`; that gives true if it has led there itself. */
export const leading = (textContent, act, href = '#') => element('a', {
    href,
    textContent,
    onclick: event => act() && event.preventDefault(),
});

/** What makes a link of a line of the file `path`, to which `reveal` leads. */
export const leadTo = (path, reveal) => (file, line, number) => {
    const act = () => {
        reveal(line);
        return true;
    };
    return file === path ? leading(number, act) : number;
};

/** Text as a terminal shows it, of which `lead(file, line, number)` makes links. Lines of source scroll
    sideways, so that what marks them stays below what it marks. */
export function said(text, lead) {
    const before = { file: '' };
    const shown = inParts(`${text.trimEnd()}\n`).flatMap(({ text, isSource }) => {
        const pieces = linked(text, lead, before);
        return isSource ? [element('span', { className: 'said-source' }, ...pieces)] : pieces;
    });
    shown.filter(part => part.className === 'said-source').forEach(window.workbook.watch);
    return terminal(...shown);
}

/** What a kernel printed, in a box that scrolls. */
export function printed(text, lead, kernel) {
    const box = said(text, lead);
    box.classList.add('printed');
    const whose = kernel ? [element('code', { textContent: kernel })] : ['The kernel'];
    return [note(...whose, ' printed:'), box];
}

/** What the judge says, which is HTML: its wide parts scroll, and the lines that it names are links. */
export function saidInHtml(html, lead) {
    const made = parsed(html);
    const walker = document.createTreeWalker(made, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
        texts.push(walker.currentNode);
    }
    for (const text of texts) {
        text.replaceWith(...linked(text.data, lead));
    }
    for (const wide of made.querySelectorAll('pre code, .table-frame')) {
        window.workbook.watch(wide);
    }
    return [...made.children];
}

/** Runs of more elements have more steps than a reader follows. */
export const MAX_ELEMENTS = 128;

/** The steps of a small run, folded: a figure in HTML for each launch, which plays as those of the page do.
    */
export function steps(films, isOpen = false) {
    const summary = element('summary', { textContent: 'Step by step' });
    const details = element('details', { className: 'cell-steps' }, summary, ...films.map(parsed));
    // Several on a page would have the same.
    details.querySelectorAll('figure').forEach(figure => figure.removeAttribute('id'));
    // On a phone it scrolls: smaller, its numbers could not be read.
    for (const drawing of details.querySelectorAll('.drawn')) {
        const frame = element('div', { className: 'steps-frame', role: 'group', ariaLabel: 'Drawing' });
        drawing.replaceWith(frame);
        frame.append(drawing);
        window.workbook.watch(frame);
    }
    details.addEventListener('toggle', () => window.playFilms(details), { once: true });
    details.open = isOpen;
    return details;
}
