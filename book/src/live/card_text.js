// The reader's text of a card, as store.js keeps it: what another tab makes of it, and what was put aside.
// Neither text is ever lost, and the words are the same wherever it stands.

import { button, element } from './html.js';
import { whyNotKept } from './store.js';

const ASKS = 'This was changed in another tab. The text you don’t choose stays under Bring back.';
const FOLLOWS = 'This is what you wrote in another tab.';
const THEIRS = 'The other tab’s text. Yours is kept: Bring back.';
const MINE = 'Your text. The other tab’s is kept: Bring back.';
const BROUGHT = 'Your earlier text. The other one is kept: Bring back.';
const AGAIN = 'Your text again.';

/** What a card does with `text`. `shown` hears that the page is to show another one; `say` says what became
    of it. */
export function ownText(text, { shown, say }) {
    /** Does what may need room in the browser; says `said`, or why nothing was done. Whether it was done. */
    const tryTo = (act, said = '') => {
        let why;
        try {
            act();
        } catch (error) {
            why = whyNotKept(error);
        }
        const isDone = why === undefined;
        if (isDone) {
            shown();
        }
        follow();
        say(why ?? said);
        return isDone;
    };
    const bringBack = () => {
        const said = text.value === undefined ? AGAIN : BROUGHT;
        tryTo(() => text.bringBack(), said);
    };
    const back = button('Bring back', bringBack, { title: 'What was there before' });
    const sentence = element('span', { role: 'status' });
    const theirs = button('Show theirs', () => tryTo(() => text.showTheirs(), THEIRS));
    const mine = button('Keep mine', () => tryTo(() => text.keepMine(), MINE));
    const question = element('div', { className: 'other-tab', role: 'group',
        ariaLabel: 'Changed in another tab' }, sentence, theirs, mine);

    /** The question is asked, or no more; Bring back is there if something was put aside. */
    function follow() {
        const asks = text.others().length > 0;
        const words = asks ? ASKS : '';
        if (sentence.textContent !== words) {
            sentence.textContent = words;
        }
        [theirs, mine].forEach(button => (button.hidden = !asks));
        question.classList.toggle('asks', asks);
        back.hidden = text.asides().length === 0;
    }

    /** From now on the card follows other tabs, as long as `isThere`. */
    const watch = (isThere = () => true) => text.watch(() => {
        if (!isThere()) {
            return;
        }
        if (text.follow()) {
            shown();
            say(FOLLOWS);
        }
        follow();
    });
    follow();
    return { question, back, follow, tryTo, watch };
}
