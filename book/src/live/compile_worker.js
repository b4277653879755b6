// The compiler of the page at work, apart from the page so that this goes on scrolling; see compiler.js. Each compile has an
// instance of its own: clang leaves nothing tidy behind, and what follows a mistake of its own would be worth nothing.
'use strict';

/** The modules of clang and of the chapters' program, and clang's headers. */
let tools;
/** The next compile's instance. */
let ahead;

/** The files that clang sees, as book/page/clang/main.cpp reads them. */
function bundle(files) {
    const encoder = new TextEncoder();
    const parts = Object.entries(files).flatMap(([path, text]) => {
        const bytes = encoder.encode(text);
        return [encoder.encode(`F ${bytes.length} ${path}\n`), bytes];
    });
    const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
    return all;
}

/** What book/page says of a request: the calls that it takes, and what becomes of clang's answers. */
function asked(verb, request) {
    const { status, stdout, stderr } = instantiate(tools.workbook)(['clang', verb], { files: { 'request.json': JSON.stringify(request) } });
    if (status) {
        throw Object.assign(new Error('refused'), { stderr });
    }
    return JSON.parse(stdout);
}

function compile(request) {
    const stdin = bundle({ ...tools.headers, [request.path]: request.source });
    const answers = asked('calls', request).map(args => {
        const run = ahead ?? instantiate(tools.clang);
        ahead = undefined;
        const { status, stdout, stderr } = run(['clang', '-cwd', '/', ...args], { stdin });
        return { status, ptx: stdout, said: stderr };
    });
    return asked('answers', { path: request.path, source: request.source, answers });
}

onmessage = ({ data: { request, ...given } }) => {
    try {
        tools ??= given;
        if (request) {
            const started = performance.now();
            const compiled = compile(request);
            postMessage({ compiled: { ...compiled, seconds: (performance.now() - started) / 1000 } });
        }
        ahead = instantiate(tools.clang);
    } catch (error) {
        postMessage({ trapped: String(error), stderr: error.stderr ?? '' });
    }
};
