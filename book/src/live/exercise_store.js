// The reader's progress and answers, which the browser keeps: `.exercises.json` as a terminal writes it, and the files that
// are no longer the task as it was given.

const PROGRESS = 'workbook-exercises';
const nameOf = path => `${PROGRESS} ${path}`;

/** What the browser would not keep. */
const lost = new Map();

/** Whether the browser keeps what it is given. */
export const keeps = () => lost.size === 0;

function read(name) {
    try {
        return lost.get(name) ?? localStorage.getItem(name) ?? undefined;
    } catch {
        return undefined;
    }
}

function write(name, text) {
    try {
        lost.delete(name);
        if (text === undefined) {
            localStorage.removeItem(name);
        } else {
            localStorage.setItem(name, text);
        }
    } catch {
        lost.set(name, text);
    }
}

const names = () => {
    try {
        return [...new Set([...Object.keys(localStorage), ...lost.keys()])];
    } catch {
        return [...lost.keys()];
    }
};

const EMPTY = { told_of_nvcc: true, exercises: {} };

/** A text as progress; undefined if it is none. */
export function parsed(text) {
    try {
        const state = JSON.parse(text);
        const all = Object.values(state.exercises);
        return all.every(({ passed, hints }) => typeof passed === 'boolean' && Number.isInteger(hints)) ? state : undefined;
    } catch {
        return undefined;
    }
}

const state = () => parsed(read(PROGRESS)) ?? EMPTY;

/** The whole file. */
export const progress = () => JSON.stringify(state(), null, 2);
/** Progress with one exercise. */
export const of = id => ({ passed: false, hints: 0, gave_up: false, tries: 0, ...state().exercises[id] });

/** Keeps what a check of the exercise `id` has written; of the others another tab may know more. */
export function keepProgress(id, text) {
    const now = state();
    const then = parsed(text);
    if (then?.exercises[id]) {
        write(PROGRESS, JSON.stringify({ ...now, exercises: { ...now.exercises, [id]: then.exercises[id] } }));
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
    write(PROGRESS, JSON.stringify({ ...now, exercises }));
}

/** The file at `path`, if the reader has written there. */
export const file = path => read(nameOf(path));
export const keepFile = (path, text) => write(nameOf(path), text);

/** The files that Reset has put aside, the latest last. */
export function backups(path) {
    const number = name => Number(name.match(/-(\d+)$/)?.[1] ?? 1);
    const prefix = `${nameOf(path)}.backup`;
    const found = names().filter(name => name.startsWith(prefix) && read(name) !== undefined);
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
