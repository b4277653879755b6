// The judge of the exercises: the terminal's program (kernels/exercises/judge), in a worker. It says what it
// wants compiled, the page's compiler compiles that, and then it marks.

import { build } from './compiler.js';
import * as store from './exercise_store.js';
import { Sentence, file } from './fetched.js';
import * as simulator from './simulator.js';
import { whyNotKept } from './store.js';

/** The status of a run that wants builds. */
const WANTS_BUILDS = 3;

/** What the compiler has made of the texts that answers are compared with, by hash: the same at every check.
    */
const built = new Map();

/** What the compiler makes of the texts that are wanted. The first is the answer: what does not compile is
    compared with nothing. */
async function builds([answer, ...others], signal, tell) {
    const compiled = async ({ hash, ...request }) => built.get(hash)
        ?? { hash, ...(await build(request, signal, tell)) };
    const first = await compiled(answer);
    const all = [first];
    for (const other of first.ptx ? others : []) {
        if (!built.has(other.hash)) {
            built.set(other.hash, await compiled(other));
        }
        all.push(built.get(other.hash));
    }
    return all;
}

/** All texts that the program reads, by path, as JSON: solutions, tasks as they are given, records. */
const repository = () => file('exercises.json');
let tasks;

/** The task at `path` as it is given, once it has been fetched. */
export const known = path => tasks?.[path];

/** The same, fetched. */
export async function task(path) {
    tasks ??= JSON.parse(await repository());
    return tasks[path];
}

/** What the program says to `args`, the words of the terminal, about an exercise: `{ status, stdout, shown,
    notKept }`. Its progress is kept, or `notKept` says that it is not; after `reset` the answer is put aside.
    `tell` gets words, and a fraction where there is one. Rejects with a Sentence, and with the signal's
    reason.
    @param {{ id: string, path: string }} exercise
    @param {string[]} args
    @param {AbortSignal} signal
    @param {(words: string, fraction?: number) => void} [tell] */
export async function judge({ id, path }, args, signal, tell = () => {}) {
    const text = store.file(path);
    const answers = text === undefined ? {} : { [path]: text };
    const files = {
        'exercises.json': await repository(),
        'answers.json': JSON.stringify(answers),
        '.exercises.json': store.progress(),
    };
    const run = given => simulator.start(['exercise', ...args], () => given, signal, () => tell('Checking'));
    let ran = await run(files);
    const left = name => simulator.text(ran, name);
    if (ran.status === WANTS_BUILDS) {
        const compiled = await builds(JSON.parse(left('wanted.json')), signal, tell);
        ran = await run({ ...files, 'compiled.json': JSON.stringify(compiled) });
    }
    const shown = simulator.shown(ran);
    if (!shown) {
        throw new Sentence(simulator.refusal(ran));
    }
    signal.throwIfAborted();
    if (args[0] === 'reset') {
        putAside(path);
    }
    const notKept = store.keepProgress(id, left('.exercises.json'));
    return { status: ran.status, stdout: ran.stdout, shown, notKept };
}

function putAside(path) {
    try {
        store.replaceFile(path, undefined);
    } catch (error) {
        throw new Sentence(whyNotKept(error));
    }
}
