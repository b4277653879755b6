// What stands with a text that was changed in another tab: a question, asked once, whose answer loses neither text.

import { button, element } from './html.js';
import { whyNotKept } from './store.js';

const ASKS = 'This was changed in another tab. The text you don’t choose stays under Bring back.';

/** A place for the question about `text`, as store.js keeps it. `shown` hears that the text of the page is to be another;
    `say` says what became of it. `follow` asks, or asks no more. */
export function asked(text, { shown, say, bringBack = 'Bring back' }) {
    const sentence = element('span', { role: 'status' });
    const chosen = choose => {
        try {
            choose();
            return undefined;
        } catch (error) {
            return whyNotKept(error);
        }
    };
    const answer = (choose, said) => () => {
        const why = chosen(choose);
        follow();
        shown();
        say(why ?? said);
    };
    const theirs = button('Show theirs', answer(() => text.showTheirs(), `The other tab’s text. Yours is kept: ${bringBack}.`));
    const mine = button('Keep mine', answer(() => text.keepMine(), `Your text. The other tab’s is kept: ${bringBack}.`));
    const frame = element('div', { className: 'other-tab', role: 'group', ariaLabel: 'Changed in another tab' }, sentence, theirs, mine);
    function follow() {
        const asks = text.others().length > 0;
        const words = asks ? ASKS.replace('Bring back', bringBack) : '';
        if (sentence.textContent !== words) {
            sentence.textContent = words;
        }
        theirs.hidden = !asks;
        mine.hidden = !asks;
        frame.classList.toggle('asks', asks);
    }
    follow();
    return { frame, follow };
}
