// The page's compiler: clang as WebAssembly, in a worker. It is fetched when something is compiled for the first time, and
// kept by the browser from then on. crates/page/clang says how it is made, and crates/page how it is called.

import { compileModule, file } from './simulator.js';

const CACHE = 'workbook-compiler';
const LIMIT = 20; // seconds

const STOPPED = 'Stopped.';
const TOO_LONG = `The compiler did not come to an end in ${LIMIT} seconds, and was stopped. What can take so long is a loop that it unrolls or ` +
    'evaluates, or a template that instantiates itself. On a busy machine it may be any code: try again.';
const NOT_FETCHED = 'The compiler could not be fetched. Is the server still there?';
const NOT_STARTED = 'This browser does not start the compiler, which is WebAssembly: a policy of the page or of the browser forbids it, or it is too old.';
const NO_MEMORY = 'The compiler was broken off: it needs more memory than the browser gives a page.';
const TOO_DEEP = 'The compiler was broken off: most likely something in the code nests too deeply, such as a template that instantiates itself.';

/** A reason, in one sentence, why nothing was compiled. */
class Sentence extends Error {}

const scripts = ['vendor/wasi_shim.js', 'vendor/fzstd.js', 'program.js', 'compile_worker.js'];
let worker;
/** Whether the worker has what it needs to compile. */
let isStarted = false;
/** The compiled module, as a promise. */
let module;
let giveUp = () => {};
let before = Promise.resolve();

const manifest = () => file('clang/clang.json', response => response.json());
/** The name by which the compiler is kept: another compiler has another one. */
const address = ({ hash }) => new URL(`clang/clang.wasm?${hash}`, import.meta.url).href;
const megabytes = bytes => Math.round(bytes / 1e6);

/** Hands `work` to the worker; its answer. */
async function ask(work, transferred = []) {
    const parts = await Promise.all(scripts.map(name => file(name)));
    return new Promise((resolve, reject) => {
        giveUp = sentence => reject(new Sentence(sentence));
        worker ??= new Worker(URL.createObjectURL(new Blob(parts, { type: 'text/javascript' })));
        worker.onmessage = ({ data }) => (data.trapped ? reject(broken(data.trapped)) : resolve(data));
        worker.onerror = () => reject(new Sentence(NO_MEMORY));
        worker.postMessage(work, transferred);
    });
}

/** Why clang ended without an answer. */
function broken({ error, stderr }) {
    const [said] = stderr.split('\n').filter(line => /error: |ERROR: /.test(line));
    if (error.includes('RangeError') && error.includes('call stack') || error.includes('InternalError')) {
        return new Sentence(TOO_DEEP);
    }
    if (/out of memory|bad_alloc/i.test(error + stderr)) {
        return new Sentence(NO_MEMORY);
    }
    return new Sentence(`The compiler broke off, which is a mistake of its own: ${said ?? error}`);
}

function end() {
    worker?.terminate();
    worker = undefined;
    isStarted = false;
}

/** Ends what is under way. */
export function stop(reason = STOPPED) {
    end();
    giveUp(reason);
}

/** The cache of compilers, where the browser has one for this page. */
const cache = async () => (globalThis.caches ? caches.open(CACHE).catch(() => undefined) : undefined);

/** The bytes of the compiler as they are packed. */
async function fetched({ bytes, hash }, progress) {
    const stopped = new AbortController();
    giveUp = () => stopped.abort();
    const response = await fetch(new URL(`clang/clang.wasm.zst?${hash}`, import.meta.url), { signal: stopped.signal });
    if (!response.ok) {
        throw new Sentence(NOT_FETCHED);
    }
    const packed = new Uint8Array(bytes);
    let length = 0;
    for (const reader = response.body.getReader(); ;) {
        const { done, value } = await reader.read();
        if (done || length + value.length > bytes) {
            break;
        }
        packed.set(value, length);
        length += value.length;
        progress(length / bytes, `Fetching the compiler, ${megabytes(length)} of ${megabytes(bytes)} MB, once`);
    }
    if (length !== bytes) {
        throw new Sentence(NOT_FETCHED);
    }
    return packed.buffer;
}

/** Keeps the compiler, and no other. */
async function keep(name, wasm) {
    try {
        const kept = await cache();
        await kept?.put(name, new Response(wasm, { headers: { 'Content-Type': 'application/wasm' } }));
        const others = (await kept?.keys() ?? []).filter(({ url }) => url !== name);
        await Promise.all(others.map(other => kept.delete(other)));
    } catch {
        // No room: it is fetched again another time.
    }
}

async function made(progress) {
    const about = await manifest();
    const kept = await (await cache())?.match(address(about));
    if (kept) {
        progress(undefined, 'Starting the compiler');
        return compileModule(kept);
    }
    const packed = await fetched(about, progress);
    progress(undefined, 'Unpacking the compiler');
    const { wasm } = await ask({ work: 'unpack', packed, size: about.wasm_bytes }, [packed]);
    const compiled = await WebAssembly.compile(wasm);
    keep(address(about), wasm);
    return compiled;
}

/** The compiled module, made once; again if that went wrong. */
function clang(progress) {
    module ??= made(progress).catch(error => {
        module = undefined;
        throw error;
    });
    return module;
}

async function started(progress) {
    const [clangModule, workbook, headers] = await Promise.all([
        clang(progress), file('workbook.wasm', compileModule), file('headers.json', response => response.json()),
    ]);
    if (!isStarted) {
        await ask({ work: 'start', tools: { clang: clangModule, workbook, headers } });
        isStarted = true;
    }
}

function sentence(error) {
    if (error instanceof Sentence) {
        return error.message;
    }
    if (error.name === 'AbortError') {
        return STOPPED;
    }
    return error instanceof WebAssembly.CompileError || typeof WebAssembly === 'undefined' ? NOT_STARTED : NOT_FETCHED;
}

/** Does `work` after what is under way; `{ sentence }` if it cannot be done. */
function inTurn(work) {
    const turn = before.then(work).catch(error => {
        end();
        return { sentence: sentence(error) };
    });
    before = turn;
    return turn;
}

/** Compiles `source`, the file `path`, as `--compiler clang` does in a terminal: `{ ptx, newer, said, status, seconds }`,
    of which src/build/in_page.rs has the meaning, and the compiler's name, `compiler`; or `{ sentence }`. `progress` gets a
    fraction, where there is one, and words. */
export const compile = (request, progress = () => {}) => inTurn(async () => {
    await started(progress);
    progress(undefined, 'Compiling');
    const timer = setTimeout(() => stop(TOO_LONG), 1000 * LIMIT);
    try {
        const { compiled } = await ask({ work: 'compile', request });
        return { ...compiled, compiler: `clang ${(await manifest()).version}` };
    } finally {
        clearTimeout(timer);
    }
});
