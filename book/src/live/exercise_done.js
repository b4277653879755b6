// Which exercises of a page are done, said by their cards whether they are open or not. theme/exercises.js
// fetches this when there is some progress.

import * as store from './exercise_store.js';
import { element } from './html.js';

const idOf = card => card.id.replace('exercise-', '').replace('-', '.');

/** Where a card says it. */
export function place(card) {
    const summary = card.querySelector(':scope > summary');
    return summary.querySelector(':scope > .exercise-done')
        ?? summary.appendChild(element('span', { className: 'exercise-done' }));
}

export const show = cards => cards.forEach(card => (place(card).textContent = store.of(idOf(card)).passed
    ? ' · done' : ''));
