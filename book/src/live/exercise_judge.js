// The judge of the exercises: the terminal's program (kernels/exercises/judge), in a worker. What it wants compiled, the page's
// compiler compiles; then it is called again.

import { build } from './compiler.js';
import * as store from './exercise_store.js';
import { Sentence, file } from './fetched.js';
import * as simulator from './simulator.js';
import { whyNotKept } from './store.js';

/** The status of a run that lacks builds. */
const LACKS_BUILDS = 3;

/** All texts that the program reads, by path, as JSON: solutions, tasks as they are given, records. */
const repository = () => file('exercises.json');
let tasks;

/** The task at `path` as it is given. */
export async function task(path) {
    tasks ??= JSON.parse(await repository());
    return tasks[path];
}

/** What the program says to `args`, the words of the terminal, about an exercise: `{ status, stdout, shown, notKept }`. Its progress is
    kept, or `notKept` says that it is not; after `reset` the answer is put aside. `tell` gets words, and a fraction where there is one. Rejects with a Sentence, and with the signal's reason. */
export async function judge({ id, path }, args, signal, tell = () => {}) {
    const given = await task(path);
    const text = store.file(path);
    const answers = text === undefined ? {} : { [path]: text };
    const files = {
        'exercises.json': await repository(),
        'answers.json': JSON.stringify(answers),
        '.exercises.json': store.progress(),
    };
    const compiled = [];
    for (;;) {
        const fetch = () => ({ ...files, 'compiled.json': JSON.stringify(compiled) });
        const ran = await simulator.start(['exercise', ...args], fetch, signal, () => tell('Checking'));
        const left = name => simulator.text(ran, name);
        if (ran.status === LACKS_BUILDS) {
            for (const { hash, ...request } of JSON.parse(left('wanted.json'))) {
                compiled.push({ hash, ...(await build(request, signal, tell)) });
            }
            continue;
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
}

function putAside(path) {
    try {
        store.replaceFile(path, undefined);
    } catch (error) {
        throw new Sentence(whyNotKept(error));
    }
}
