// What cures what a run has found: once its verdict is shown, edits of the reader's source are compiled and
// run, and those that cure it are offered. One that the reader takes goes into the editor, where undo takes
// it back.

import { note } from './card_result.js';
import * as compiler from './compiler.js';
import { button, element } from './html.js';

const TRYING = 'Trying edits that may cure it';
const SHOW = 'Show the change';
const IS_OLD = 'The code has changed since. Run it again, and its cures are tried again.';
const SHOWN = 'The change is in your code; Undo takes it back. It runs when you press Run.';

/** What edits are proposed for. */
const CURABLE = ['data-race', 'child-visibility', 'barrier-divergence', 'out-of-bounds',
    'uninitialized-read'];

/** Whether something is wrong that an edit may cure. */
const isWrong = diagnostics => diagnostics.some(({ kind, severity, file }) => file && severity !== 'note'
    && CURABLE.includes(kind));

/** A source with the lines of an edit changed: { line, removed, text }, from the top. */
export function edited(source, edits) {
    const lines = source.split('\n');
    for (const { line, removed, text } of edits.toReversed()) {
        lines.splice(line - 1, removed, ...(text === null ? [] : text.split('\n')));
    }
    return lines.join('\n');
}

/** What the simulator says between backticks is code. */
const words = says => says.split('`').map((part,
    place) => (place % 2 ? element('code', { textContent: part }) : part));

function shown({ says, edits }, take) {
    const offer = button(SHOW, () => take(edits));
    const sentence = note(element('strong', { textContent: 'Cure: ' }), ...words(says), '. ', offer);
    sentence.classList.add('cell-cure');
    return sentence;
}

/** Elements that offer what was `found` to cure something. `take(edits)` puts edits into the code, unless
    that `isOld`. */
export function offers(found, { isOld, say, take }) {
    const takeIt = async edits => {
        if (isOld()) {
            say(IS_OLD);
            return;
        }
        await take(edits);
        say(SHOWN);
    };
    return found.map(cure => shown(cure, takeIt));
}

/** Tries edits for the `diagnostics` that a `run`, { args, files }, has given, or for a result that is not
    the expected one, after its verdict, the `sentence` that the `card` says, and gives those that cure
    something; `show` takes elements that offer them. */
export async function addCures({ run, diagnostics = [], isUnexpected = false, sentence }, card, signal,
    tell) {
    if (!isWrong(diagnostics) && !isUnexpected) {
        return [];
    }
    const trying = () => tell(`${sentence} ${TRYING}`);
    trying();
    // The verdict stands without them.
    const found = await compiler.cures(run, signal, trying).catch(() => []);
    signal.throwIfAborted();
    card.show(offers(found, card));
    card.say(sentence);
    return found;
}
