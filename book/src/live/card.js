// What one edits and runs in a page is a card: a cell, with the listings that it runs; an exercise; a cell of
// the notebook. What they have in common is written once:
//
// | file | part of a card |
// | --- | --- |
// | `card.js` | Run and Stop, how far it is, the status line, and that a result is older than the code |
// | `card_code.js` | the code: as a listing, or in an editor with what was found at its lines |
// | `card_text.js` | the reader's text: other tabs, Reset, Bring back, Download, Copy link |
// | `card_result.js` | what was said, found and printed; steps that play |
//
// Its parts are those of `Card` below.

import { Sentence, endDownloads, reason } from './fetched.js';
import { keepForRuns } from './offline.js';

/** Where a card shows how far it is.
    @typedef {object} Place
    @property {Element} frame
    @property {HTMLElement} [run] its button
    @property {Element} [status]
    @property {HTMLProgressElement} [progress] */

/** What every card has.
    @typedef {object} Card
    @property {() => Place[]} places
    @property {string} [verb] what its button says
    @property {Element} [out] its result
    @property {() => boolean} [isOld] whether the result is of other code
    @property {() => void} [stop] ends what is under way, while something is
    @property {string} [said] what it said before its result was old */

const STOPPED = 'Stopped.';
const IS_OLD = 'Changed since this result.';

/** In all places; once, since a screen reader reads what is written.
    @param {Card} card
    @param {string} sentence */
export function say(card, sentence) {
    for (const { status } of card.places()) {
        if (status && status.textContent !== sentence) {
            status.textContent = sentence;
        }
    }
}

/** @param {Card} card */
export const isRunning = card => Boolean(card.stop);

/** The cards in which something is under way.
    @type {Set<Card>} */
const running = new Set();

/** Ends what is under way; also what it was fetching, unless another card waits too.
    @param {Card} card */
export function stop(card) {
    if (!isRunning(card)) {
        return;
    }
    card.stop();
    if (running.size === 0) {
        endDownloads(new Sentence(STOPPED));
    }
}

/** What its button does.
    @param {Card} card
    @param {() => unknown} run */
export const runOrStop = (card, run) => (isRunning(card) ? stop(card) : run());

/** @param {Card} card
    @param {boolean} on */
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

/** How far it is; that it is under way, if no more is known.
    @param {Card} card
    @param {number} [fraction] */
function showProgress(card, fraction) {
    for (const { progress } of card.places().filter(({ progress }) => progress)) {
        if (fraction === undefined) {
            progress.removeAttribute('value');
        } else {
            progress.value = fraction;
        }
    }
}

/** What `work(signal, tell)` gives, which takes the place of what was under way in the card; nothing if it
    was stopped or cannot be done, and the card says why, and how it is done `again`. `tell` takes words, and
    a fraction where there is one.
    @template Result
    @param {Card} card
    @param {(signal: AbortSignal, tell: (words: string, fraction?: number) => void) => Promise<Result>} work
    @param {string} [again]
    @returns {Promise<Result | undefined>} */
export async function perform(card, work, again = `Press ${card.verb}`) {
    card.stop?.();
    const task = new AbortController();
    const { signal } = task;
    let isOver = false;
    const end = sentence => {
        isOver = true;
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
        if (!isOver) { // a download may go on after another has failed
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
            end(reason(error, again));
        }
        return undefined;
    }
}

/** A result of other code or other controls is dimmed, and the card says so; once it is of these again, what
    it said before.
    @param {Card} card */
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
