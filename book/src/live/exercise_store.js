// The reader's progress and answers, which the browser keeps: `.exercises.json` as a terminal writes it, and
// the files that are no longer the task as it was given. Both go out, and come in, as one file.

import { Merged, adopt, checked, kept } from './store.js';

const NAME = 'workbook-exercises';

/** Bytes of an answer. */
export const MAX_ANSWER = 1_000_000;
/** Bytes of a file with all of them; no browser keeps more. */
export const MAX_FILE = 5_000_000;
const MAX_COUNT = 1_000_000;
const MAX_HINTS = 99;
const MAX_ITEMS = 1000;

const NONE = { passed: false, hints: 0, gave_up: false, tries: 0 };

const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isFlag = value => typeof value === 'boolean';
const isCount = value => Number.isSafeInteger(value) && value >= 0;
const isUpTo = most => value => isCount(value) && value <= most;
const isListOf = is => value => Array.isArray(value) && value.length <= MAX_ITEMS && value.every(is);
const isWord = value => typeof value === 'string' && value.length <= 100;

/** The fields of an exercise's progress; all others are left out. */
const FIELDS = {
    passed: isFlag,
    hints: isUpTo(MAX_HINTS),
    gave_up: isFlag,
    failed: isListOf(isWord),
    texts: isListOf(isWord),
    tries: isUpTo(MAX_COUNT),
    last: isListOf(isCount),
    first: isListOf(isCount),
    best: isListOf(isCount),
    best_by: isWord,
};

/** One exercise's progress, with nothing else in it; undefined if a field of it is odd. */
function entry(id, value) {
    if (!/^\d{1,2}\.\d{1,2}$/.test(id) || !isObject(value) || !('passed' in value)) {
        return undefined;
    }
    const fields = Object.keys(FIELDS).filter(name => Object.hasOwn(value, name));
    if (!fields.every(name => FIELDS[name](value[name]))) {
        return undefined;
    }
    return { ...NONE, ...Object.fromEntries(fields.map(name => [name, value[name]])) };
}

/** A text as what it has, where `odd` names the entries that were left out; undefined if it is something
    else.
    @returns {{ exercises: Record<string, object>, answers: [string, any][], odd: string[] } | undefined} */
export function parsed(text) {
    const file = checked(text, value => isObject(value) && isObject(value.exercises));
    if (!file) {
        return undefined;
    }
    /** @type {[string, any][]} */
    const all = Object.entries(file.exercises).map(([id, value]) => [id, entry(id, value)]);
    const answers = isObject(file.answers) ? Object.entries(file.answers) : [];
    const isAnswer = ([, text]) => typeof text === 'string' && text.length <= MAX_ANSWER;
    return {
        exercises: Object.fromEntries(all.filter(([, value]) => value)),
        answers: answers.filter(isAnswer),
        odd: [...all.filter(([, value]) => !value),
            ...answers.filter(answer => !isAnswer(answer))].map(([name]) => name),
    };
}

/** Of two: nothing that is done is undone. What the last check said is the later one's. */
function either(one, other) {
    const isBetter = one.best_by === other.best_by && one.best?.[0] < other.best?.[0];
    return {
        ...one,
        ...other,
        ...isBetter && { best: one.best },
        passed: one.passed || other.passed,
        gave_up: one.gave_up || other.gave_up,
        hints: Math.max(one.hints, other.hints),
    };
}

function merge(all, others) {
    const exercises = { ...all };
    for (const [id, other] of Object.entries(others)) {
        exercises[id] = either(exercises[id] ?? NONE, other);
    }
    return exercises;
}

const states = new Merged(NAME, text => parsed(text) ?? { exercises: {} },
    (one, other) => ({ exercises: merge(one.exercises, other.exercises) }));
const state = () => states.get({ exercises: {} }).exercises;

/** The file of a terminal. */
export const progress = () => JSON.stringify({ exercises: state() }, null, 2);

/** Progress with one exercise. */
export const of = id => ({ ...NONE, ...state()[id] });

/** Keeps what a check of the exercise `id` has written; of the others another tab may know more. Says if it
    is not kept. */
export function keepProgress(id, text) {
    const now = parsed(text)?.exercises[id];
    return now ? states.add({ exercises: { [id]: now } }) : '';
}

/** Adds the progress of a file to what is here. Says if it is not kept. */
export const addProgress = exercises => states.add({ exercises });

/** The reader's file at `path`, as store.js keeps it. */
export function answer(path) {
    const text = kept(`${NAME} ${path}`);
    adopt(text, `${NAME} ${path}.backup`);
    return text;
}

/** The file at `path`, if the reader has written there. */
export const file = path => answer(path).value?.text;

/** Keeps what the reader has written; undefined: the task as it is given. Says if it is not kept. */
export const keepFile = (path, text) => answer(path).write(text === undefined ? undefined : { text });

/** Takes another text in the place of the reader's, which is put aside. Throws NotKept, and then nothing has
    changed. */
export const replaceFile = (path, text) => answer(path).replace(text === undefined ? undefined : { text });

/** Progress and the answers at these paths, as one file. */
export function exported(paths) {
    const written = paths.filter(path => file(path) !== undefined);
    const answers = Object.fromEntries(written.map(path => [path, file(path)]));
    return JSON.stringify({ exercises: state(), answers }, null, 2);
}
