// The compiler of the page at work, apart from the page so that this goes on scrolling; see compiler.js. Each
// compile has an instance of its own: clang leaves nothing tidy behind, and what follows a mistake of its own
// would be worth nothing.
'use strict';

/** The modules of clang and of the chapters' program; and the headers that there are, as files that clang
    sees, by the name of what they were fetched as. */
let tools;
const headers = new Map();
/** The next compile's instance. */
let ahead;

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

/** What came of a request: { compiled }; or { lacks }, the name of headers that it takes. */
function compile(request) {
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
        answers.push(...wanted.calls.map(call => called(call, wanted.headers)));
    }
}

/** How a program asks on stderr for what its request.json wants compiled. */
const ASKED = '\x1b]9;compile\x07';

/** Runs the program of the page, and compiles what it asks for meanwhile. */
function ran({ args, files }) {
    const listen = (text, disk) => {
        if (text.includes(ASKED)) {
            const { compiled } = compile(JSON.parse(disk.read('request.json')));
            disk.write('compiled.json', JSON.stringify(compiled));
        }
        return '';
    };
    const { files: left } = instantiate(tools.workbook)(args, { files, listen });
    return new TextDecoder().decode(left.get('cures.json').data);
}

onmessage = ({ data: { request, run, given, ...modules } }) => {
    try {
        tools ??= modules;
        Object.entries(given ?? {}).forEach(([name, files]) => headers.set(name, bundle(files)));
        if (request) {
            const started = performance.now();
            const { lacks, compiled } = compile(request);
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
