// What one edits and runs in a page is a card: a cell, with the listings that it runs; an exercise; a cell of the notebook. What
// they have in common is written once:
//
// | file | part of a card |
// | --- | --- |
// | `card.js` | Run and Stop, how far it is, the status line, and that a result is older than the code |
// | `card_code.js` | the code: as a listing, or in an editor with what was found at its lines |
// | `card_text.js` | the reader's text: other tabs, Reset, Bring back, Download, Copy link |
// | `card_result.js` | what was said, found and printed; steps that play |
//
// A card has `places()`, where it shows how far it is: { frame, run, status, progress }, of which a place may lack some; and
// `verb`, what its button says. One that has a result has `out`, and `isOld()`: whether that is of other code.

import { Sentence, endDownloads, reason } from './fetched.js';
import { keepForRuns } from './offline.js';

const STOPPED = 'Stopped.';
const IS_OLD = 'Changed since this result.';

/** In all places; once, since a screen reader reads what is written. */
export function say(card, sentence) {
    for (const { status } of card.places()) {
        if (status && status.textContent !== sentence) {
            status.textContent = sentence;
        }
    }
}

export const isRunning = card => Boolean(card.stop);

/** The cards in which something is under way. */
const running = new Set();

/** Ends what is under way; also what it was fetching, unless another card waits too. */
export function stop(card) {
    if (!isRunning(card)) {
        return;
    }
    card.stop();
    if (running.size === 0) {
        endDownloads(new Sentence(STOPPED));
    }
}

/** What its button does. */
export const runOrStop = (card, run) => (isRunning(card) ? stop(card) : run());

function showRunning(card, on) {
    for (const { frame, run, progress } of card.places()) {
        frame.classList.toggle('running', on);
        if (run) {
            run.textContent = on ? 'Stop' : card.verb;
        }
        if (progress) {
            Object.assign(progress, { hidden: !on, value: 0 });
        }
    }
}

/** How far it is; that it is under way, if no more is known. */
function showProgress(card, fraction) {
    for (const { progress } of card.places().filter(({ progress }) => progress)) {
        if (fraction === undefined) {
            progress.removeAttribute('value');
        } else {
            progress.value = fraction;
        }
    }
}

/** What `work(signal, tell)` gives, which takes the place of what was under way in the card; nothing if it was stopped or cannot
    be done, and the card says why. `tell` takes words, and a fraction where there is one. */
export async function perform(card, work) {
    card.stop?.();
    const task = new AbortController();
    const { signal } = task;
    const end = sentence => {
        card.stop = undefined;
        running.delete(card);
        showRunning(card, false);
        if (sentence) {
            say(card, sentence);
        }
    };
    card.stop = () => {
        task.abort(new Sentence(STOPPED));
        end(STOPPED);
    };
    const tell = (words, fraction) => {
        if (!signal.aborted) {
            say(card, `${words} …`);
            showProgress(card, fraction);
        }
    };
    running.add(card);
    showRunning(card, true);
    tell('Waiting', 0);
    try {
        const result = await work(signal, tell);
        signal.throwIfAborted();
        end();
        keepForRuns();
        return result;
    } catch (error) {
        if (!signal.aborted) {
            end(reason(error));
        }
        return undefined;
    }
}

/** A result of other code or other controls is dimmed, and the card says so; once it is of these again, what it said before. */
export function showAge(card) {
    const { out } = card;
    const isOld = Boolean(out?.childElementCount) && card.isOld();
    if (isRunning(card) || !out || isOld === out.matches('.old')) {
        return;
    }
    out.classList.toggle('old', isOld);
    card.said = isOld ? card.places()[0].status.textContent : card.said;
    say(card, isOld ? IS_OLD : card.said);
}
