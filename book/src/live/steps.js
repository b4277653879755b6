// The steps of a small run, folded below its table: figures that play, as those of the page do.

import { element, parsed } from './html.js';

/** Runs of more elements have more steps than a reader follows. */
export const MAX_ELEMENTS = 128;

/** `films`: a figure in HTML for each launch. */
export function folded(films) {
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
    return details;
}
