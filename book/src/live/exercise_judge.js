// The judge of the exercises: the terminal's program (crates/exercise), in a worker. What it wants compiled, the page's
// compiler compiles; then it is called again.

import * as store from './exercise_store.js';
import { compileModule, file } from './simulator.js';

const STOPPED = 'Stopped.';
const NOT_FETCHED = 'What checks the exercise could not be fetched. Is the server still there?';
const BROKEN = 'The check was broken off: most likely it needs more memory than the browser gives a page.';

/** The status of a run that lacks builds. */
const LACKS_BUILDS = 3;

/** A reason, in one sentence, why there is no verdict. */
class Sentence extends Error {}

const scripts = ['vendor/wasi_shim.js', 'program.js', 'exercise_worker.js'];
/** What the compiler made of the sources, by hash. */
const builds = new Map();
let compiler;
let before = Promise.resolve();

/** All texts that the program reads, by path, as JSON: solutions, tasks as they are given, records. */
const repository = () => file('exercises.json');
let tasks;

/** The task at `path` as it is given. */
export async function task(path) {
    tasks ??= JSON.parse(await repository());
    return tasks[path];
}

/** A run of the program, in a worker of its own: nobody else has a use for its memory. */
async function run(args, files, signal) {
    const [module, ...parts] = await Promise.all([file('workbook.wasm', compileModule), ...scripts.map(name => file(name))]);
    signal.throwIfAborted();
    const worker = new Worker(URL.createObjectURL(new Blob(parts, { type: 'text/javascript' })));
    try {
        return await new Promise((resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
            worker.onmessage = ({ data }) => (data.trapped === undefined ? resolve(data) : reject(broken(data.trapped)));
            worker.onerror = () => reject(new Sentence(BROKEN));
            worker.postMessage({ module, args: ['exercise', ...args], files });
        });
    } finally {
        worker.terminate();
    }
}

function broken(stderr) {
    const [panic] = stderr.split('\nnote:');
    return new Sentence(panic.includes('panicked at') ? `The check broke off, which is a mistake of ours: ${panic.trim()}` : BROKEN);
}

/** Compiles what is not compiled yet. */
async function compile(wanted, signal, progress) {
    compiler ??= await import('./compiler.js');
    signal.onabort = () => compiler.stop();
    for (const { hash, ...request } of wanted.filter(({ hash }) => !builds.has(hash))) {
        signal.throwIfAborted();
        const made = await compiler.compile(request, progress);
        if (made.sentence) {
            throw new Sentence(made.sentence);
        }
        builds.set(hash, { hash, ...made });
    }
    signal.onabort = null;
}

async function ask({ id, path }, args, signal, progress) {
    const kept = [path, ...store.backups(path)].map(path => [path, store.file(path)]);
    const answers = Object.fromEntries(kept.filter(([, text]) => text !== undefined));
    const files = {
        'exercises.json': await repository(),
        'answers.json': JSON.stringify(answers),
        '.exercises.json': store.progress(),
    };
    const given = await task(path);
    const mine = new Set();
    for (;;) {
        progress(undefined, 'Checking');
        const compiled = [...mine].map(hash => builds.get(hash));
        const { status, stdout, stderr, written } = await run(args, { ...files, 'compiled.json': JSON.stringify(compiled) }, signal);
        if (status === LACKS_BUILDS) {
            const wanted = JSON.parse(written['wanted.json']);
            await compile(wanted, signal, progress);
            wanted.forEach(({ hash }) => mine.add(hash));
            continue;
        }
        if (!written['shown.json']) {
            throw new Sentence(stderr.replace(/^error: /, '').trim() || BROKEN);
        }
        store.keepProgress(id, written['.exercises.json']);
        const isNew = ([name, text]) => name.startsWith(path) && text !== (answers[name] ?? given);
        Object.entries(written).filter(isNew).forEach(([name, text]) => store.keepFile(name, text === given ? undefined : text));
        return { status, stdout, shown: JSON.parse(written['shown.json']) };
    }
}

/** What the program says to `args`, the words of the terminal, about an exercise: `{ status, stdout, shown }`, or `{ sentence }`
    why it says nothing. What it has written is kept. `progress` gets a fraction, where there is one, and words. */
export function judge(exercise, args, signal, progress = () => {}) {
    const inWords = error => {
        const sentence = signal.aborted ? STOPPED : error instanceof Sentence ? error.message : NOT_FETCHED;
        return { sentence };
    };
    const asked = before.then(() => signal.throwIfAborted()).then(() => ask(exercise, args, signal, progress)).catch(inWords);
    before = asked;
    return asked;
}
