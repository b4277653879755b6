// The reader's progress and answers, which the browser keeps: `.exercises.json` as a terminal writes it, and the files that
// are no longer the task as it was given.

import { checked, get, names, set } from './kept.js';

const PROGRESS = 'workbook-exercises';
const nameOf = path => `${PROGRESS} ${path}`;

const EMPTY = { exercises: {} };

const isProgress = state => Object.values(state.exercises).every(({ passed, hints }) => typeof passed === 'boolean' && Number.isInteger(hints));

/** A text as progress; undefined if it is none. */
export const parsed = text => checked(text, isProgress);

const state = () => parsed(get(PROGRESS)) ?? EMPTY;

/** The whole file. */
export const progress = () => JSON.stringify(state(), null, 2);
/** Progress with one exercise. */
export const of = id => ({ passed: false, hints: 0, gave_up: false, tries: 0, ...state().exercises[id] });

/** Keeps what a check of the exercise `id` has written; of the others another tab may know more. */
export function keepProgress(id, text) {
    const now = state();
    const then = parsed(text);
    if (then?.exercises[id]) {
        set(PROGRESS, JSON.stringify({ ...now, exercises: { ...now.exercises, [id]: then.exercises[id] } }));
    }
}

/** Adds the progress of a file to what is here: nothing that is done is undone. */
export function addProgress(text) {
    const now = state();
    const exercises = { ...now.exercises };
    for (const [id, theirs] of Object.entries(parsed(text).exercises)) {
        const mine = of(id);
        const either = name => Boolean(mine[name] || theirs[name]);
        const hints = Math.max(mine.hints, theirs.hints);
        exercises[id] = { ...mine, ...theirs, passed: either('passed'), gave_up: either('gave_up'), hints };
    }
    set(PROGRESS, JSON.stringify({ ...now, exercises }));
}

/** The file at `path`, if the reader has written there. */
export const file = path => get(nameOf(path));
export const keepFile = (path, text) => set(nameOf(path), text);

/** The files that Reset has put aside, the latest last. */
export function backups(path) {
    const number = name => Number(name.match(/-(\d+)$/)?.[1] ?? 1);
    const prefix = `${nameOf(path)}.backup`;
    const found = names().filter(name => name.startsWith(prefix) && get(name) !== undefined);
    return found.sort((a, b) => number(a) - number(b)).map(name => name.slice(PROGRESS.length + 1));
}

/** Puts the reader's file aside, as the terminal does. */
export function putAside(path) {
    const name = number => `${path}.backup${number === 1 ? '' : `-${number}`}`;
    let number = 1;
    while (file(name(number)) !== undefined) {
        number++;
    }
    keepFile(name(number), file(path));
    keepFile(path, undefined);
}
