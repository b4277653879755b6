// What takes a while, one at a time at each place of the page: a cell's run, an exercise's check. The place says how far it
// is, and can stop it.

import { Sentence, reason } from './fetched.js';
import { keepForRuns } from './offline.js';

const STOPPED = 'Stopped.';

/** Ends what is under way at a place. */
export const stop = place => place.stop?.();

/** What `work(signal, tell)` gives, which takes the place of what was under way; nothing if it was stopped or cannot be done, and
    the place says why. `tell` takes words, and a fraction where there is one. */
export async function perform(place, { say, showRunning, showProgress }, work) {
    stop(place);
    const task = new AbortController();
    const { signal } = task;
    const end = sentence => {
        place.stop = undefined;
        showRunning(place, false);
        if (sentence) {
            say(place, sentence);
        }
    };
    place.stop = () => {
        task.abort(new Sentence(STOPPED));
        end(STOPPED);
    };
    const tell = (words, fraction) => {
        if (!signal.aborted) {
            say(place, `${words} …`);
            showProgress(place, fraction);
        }
    };
    showRunning(place, true);
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

/** Shows in a <progress> how far it is; that it is under way, if no more is known. */
export function progressed(bar, fraction) {
    if (fraction === undefined) {
        bar.removeAttribute('value');
    } else {
        bar.value = fraction;
    }
}
