// The compiler of the page at work, apart from the page so that this goes on scrolling; see compiler.js. Each
// compile has an instance of its own: clang leaves nothing tidy behind, and what follows a mistake of its own
// would be worth nothing. The second of two calls is made at the same time, in a worker of this one's own.
'use strict';

/** The modules of clang and of the chapters' program; and the headers that there are, as files that clang
    sees, by the name of what they were fetched as. */
let tools;
const headers = new Map();
/** The next compile's instance. */
let ahead;

/** A second worker like this one, once there are two calls, and nothing where there is none; and the names of
    the headers that it has. It ends with this one. */
let mate;
const itsHeaders = new Set();
const PATIENCE = 3; // seconds in which it is to begin

/** Files that clang sees, as book/page/clang/main.cpp reads them. */
function bundle(files) {
    const encoder = new TextEncoder();
    return joined(Object.entries(files).flatMap(([path, text]) => {
        const bytes = encoder.encode(text);
        return [encoder.encode(`F ${bytes.length} ${path}\n`), bytes];
    }));
}

function joined(parts) {
    const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
    return all;
}

/** What book/page says is to be done for a request, when clang has given these answers. */
function next(asked) {
    const { status, stdout, stderr } = instantiate(tools.workbook)(['clang'],
        { files: { 'request.json': JSON.stringify(asked) } });
    if (status) {
        throw Object.assign(new Error('refused'), { stderr });
    }
    return JSON.parse(stdout);
}

/** What clang makes of a call. */
function called({ args, files }, names) {
    const run = ahead ?? instantiate(tools.clang);
    ahead = undefined;
    const stdin = joined([...names.map(name => headers.get(name)), bundle(files)]);
    const { status, stdout, stderr } = run(['clang', '-cwd', '/', ...args], { stdin });
    return { status, ptx: stdout, said: stderr };
}

/** What the second worker makes of calls; nothing if it breaks off. */
function answersOf(worker, calls, names) {
    return new Promise(resolve => {
        worker.onmessage = ({ data }) => resolve(data.answers);
        worker.onerror = event => {
            event.preventDefault(); // else it would be a mistake of this worker too
            resolve(undefined);
        };
        const lacking = names.filter(name => !itsHeaders.has(name));
        const bundles = lacking.map(name => [name, headers.get(name)]);
        worker.postMessage({ clang: tools.clang, bundles, wanted: { calls, headers: names } });
        lacking.forEach(name => itsHeaders.add(name));
    });
}

/** The second worker, once it has begun, which in Chromium it does only while this one waits. */
async function begun() {
    try {
        const worker = new Worker(location.href);
        const late = new Promise(resolve => setTimeout(resolve, 1000 * PATIENCE));
        if (await Promise.race([answersOf(worker, [], []), late])) {
            return worker;
        }
        worker.terminate();
    } catch {
        // A worker of this browser makes none.
    }
    return undefined;
}

/** What clang makes of calls, one after the other. */
const inTurn = ({ calls, headers: names }) => calls.map(call => called(call, names));

/** The same, of the first one here and of the others in the second worker. What does not come from there is
    made here, then and from then on. */
async function atOnce({ calls: [first, ...others], headers: names }) {
    const other = others.length > 0 ? await (mate ??= begun()) : undefined;
    const asked = other && answersOf(other, others, names);
    const own = called(first, names);
    const theirs = await asked;
    if (other && !theirs) {
        other.terminate();
        mate = Promise.resolve();
    }
    return [own, ...(theirs ?? inTurn({ calls: others, headers: names }))];
}

/** Gives the calls that a request takes, and gets their answers, until it is known what came of it:
    { compiled }; or { lacks }, the name of headers that it takes. */
function* compiling(request) {
    const answers = [];
    for (;;) {
        const { calls: wanted, compiled } = next({ request, answers });
        if (compiled) {
            return { compiled };
        }
        const lacks = wanted.headers.find(name => !headers.has(name));
        if (lacks) {
            return { lacks };
        }
        answers.push(...yield wanted);
    }
}

/** What came of a request. */
async function compile(request) {
    const steps = compiling(request);
    let step = steps.next();
    while (!step.done) {
        step = steps.next(await atOnce(step.value));
    }
    return step.value;
}

/** The same while a program waits for it, which can wait for no other worker. */
function compileMeanwhile(request) {
    const steps = compiling(request);
    let step = steps.next();
    while (!step.done) {
        step = steps.next(inTurn(step.value));
    }
    return step.value;
}

/** How a program asks on stderr for what its request.json wants compiled. */
const ASKED = '\x1b]9;compile\x07';

/** Runs the program of the page, and compiles what it asks for meanwhile. */
function ran({ args, files }) {
    const listen = (text, disk) => {
        if (text.includes(ASKED)) {
            const { compiled } = compileMeanwhile(JSON.parse(disk.read('request.json')));
            disk.write('compiled.json', JSON.stringify(compiled));
        }
        return '';
    };
    const { files: left } = instantiate(tools.workbook)(args, { files, listen });
    return new TextDecoder().decode(left.get('cures.json').data);
}

onmessage = async ({ data: { request, run, wanted, given = {}, bundles = [], ...modules } }) => {
    try {
        tools ??= modules;
        Object.entries(given).forEach(([name, files]) => headers.set(name, bundle(files)));
        bundles.forEach(([name, bytes]) => headers.set(name, bytes));
        if (wanted) {
            postMessage({ answers: inTurn(wanted) });
        }
        if (request) {
            const started = performance.now();
            const { lacks, compiled } = await compile(request);
            postMessage(lacks ? { lacks } : { compiled: { ...compiled,
                seconds: (performance.now() - started) / 1000 } });
        }
        if (run) {
            postMessage({ cures: JSON.parse(ran(run)) });
        }
        ahead ??= instantiate(tools.clang);
    } catch (error) {
        postMessage({ trapped: String(error), stderr: error.stderr ?? '' });
    }
};
