// The page's compiler: clang as WebAssembly, in a worker. It is fetched when something is compiled for the
// first time, and kept by the browser from then on. book/page/clang says how it is made, and book/page how it
// is called.

import { Sentence, answer, fetched, file, once, program, twice, unpacked, worker } from './fetched.js';
import { counted } from './html.js';

const CACHE = 'workbook-compiler';
const COMPILER = 'The compiler';
const LIMIT = 20; // seconds

const TOO_LONG = `The compiler had not finished after ${LIMIT} seconds and was stopped. What can take so ` +
    `long is a loop that it unrolls or ` +
    'evaluates, or a template that instantiates itself. On a busy machine it may be any code: try again.';
const NOT_STARTED = 'This browser does not start the compiler, which is WebAssembly: a policy of the page ' +
    'or of the browser forbids it, or it is too old.';
const NO_MEMORY = 'The compiler was stopped: it needs more memory than the browser gives a page.';
const TOO_DEEP = 'The compiler was stopped: most likely something in the code nests too deeply, such as a ' +
    'template that instantiates itself.';

let before = Promise.resolve();

/** The scripts of the worker. */
const WORKER = ['vendor/wasi_shim.js', 'program.js', 'compile_worker.js'];

/** What each kind of source includes: the headers of kernels, which all have; those of whole programs; and
    libc++'s, packed. */
const KERNELS = 'headers.json';
const headers = name => file(name, async response => {
    const isPacked = name.endsWith('.zst');
    return isPacked ? JSON.parse(new TextDecoder().decode(await unpacked(await response.arrayBuffer())))
        : response.json();
});
const manifest = () => file('clang/clang.json', response => response.json());
/** The name by which the compiler is kept: another compiler has another one. */
const address = ({ hash }) => new URL(`clang/clang.wasm?${hash}`, import.meta.url).href;
const inMegabytes = bytes => Math.round(bytes / 1e6);

/** How large the compiler is as it is fetched. */
export const megabytes = async () => inMegabytes((await manifest()).bytes);

/** The compiler that the browser keeps, if it does. What it keeps of one that is not whole, since the tab was
    closed meanwhile, it keeps no longer. */
async function keptCompiler() {
    const about = await manifest();
    const kept = await globalThis.caches?.match(address(about)).catch(() => undefined);
    const bytes = await kept?.clone().arrayBuffer().catch(() => new ArrayBuffer(0)); // it breaks off
    if (bytes && !(await isWhole(bytes, about.wasm))) {
        await caches.delete(CACHE);
        return undefined;
    }
    return kept;
}
export const isKept = async () => Boolean(await keptCompiler());

/** Fetches what compiling takes beside the compiler itself. */
export const prepare = () => Promise.all([manifest(), headers(KERNELS), ...WORKER.map(name => file(name))]);

/** Fetches and keeps the compiler before anything is compiled. */
export async function fetchAhead(signal, tell) {
    const about = await manifest();
    await keep(address(about), await wasm(about, signal, tell));
    if (!(await isKept())) {
        throw new Sentence('This browser does not keep the compiler: it keeps nothing, or has no room.');
    }
}

/** Why clang ended without an answer. */
function broken({ trapped, stderr }) {
    const [said] = stderr.split('\n').filter(line => /error: |ERROR: /.test(line));
    if (trapped.includes('RangeError') && trapped.includes('call stack')
        || trapped.includes('InternalError')) {
        return new Sentence(TOO_DEEP);
    }
    if (/out of memory|bad_alloc/i.test(trapped + stderr)) {
        return new Sentence(NO_MEMORY);
    }
    return new Sentence(`The compiler crashed: ${said ?? trapped}`);
}

/** The bytes of the compiler as they are packed; nothing, if they break off. */
async function packed({ bytes, hash }, options, signal, tell) {
    const { body } = await fetched(`clang/clang.wasm.zst?${hash}`, { ...options, signal }, COMPILER);
    let length = 0;
    const counted = new TransformStream({
        transform(part, stream) {
            length += part.length;
            tell(`Fetching the compiler, ${inMegabytes(length)} of ${inMegabytes(bytes)} MB, once`,
                length / bytes);
            stream.enqueue(part);
        },
    });
    const whole = await new Response(body.pipeThrough(counted)).arrayBuffer().catch(() => {
        signal.throwIfAborted();
    });
    return length === bytes ? whole : undefined;
}

/** The bytes of the compiler, from the network. */
async function wasm(about, signal, tell) {
    const take = async options => {
        const bytes = await packed(about, options, signal, tell);
        tell('Unpacking the compiler');
        return bytes && unpacked(bytes).catch(error => {
            if (error instanceof Sentence) { // what unpacks is not there
                throw error;
            }
        });
    };
    return twice(COMPILER, take, bytes => isWhole(bytes, about.wasm));
}

/** Keeps the compiler, and no other. */
async function keep(name, bytes) {
    try {
        await caches.delete(CACHE);
        const kept = await caches.open(CACHE);
        await kept.put(name, new Response(bytes, { headers: { 'Content-Type': 'application/wasm' } }));
    } catch {
        // A browser that keeps nothing, or has no room: it is fetched again another time.
    }
}

/** Clang's module. */
const clang = once(async (signal, tell) => {
    const about = await manifest();
    const kept = await keptCompiler();
    if (kept) {
        tell('Starting the compiler');
        return WebAssembly.compileStreaming(kept);
    }
    const bytes = await wasm(about, signal, tell);
    const compiled = await WebAssembly.compile(bytes);
    keep(address(about), bytes);
    return compiled;
});

/** The worker, once it has what it needs to compile. */
const ready = once(async (signal, tell) => {
    const [module, workbook, kernels] = await Promise.all([clang(signal, tell), program(), headers(KERNELS)]);
    const own = await worker(...WORKER);
    own.postMessage({ clang: module, workbook, given: { [KERNELS]: kernels } });
    return own;
});

/** What `work(signal)` gives within some seconds. */
function limited(seconds, signal, work) {
    const within = new AbortController();
    signal.addEventListener('abort', () => within.abort(signal.reason), { once: true });
    const timer = setTimeout(() => within.abort(new Sentence(TOO_LONG)), 1000 * seconds);
    return work(within.signal).finally(() => clearTimeout(timer));
}

/** What the worker makes of a request, once it has the headers that it lacks. */
async function compiledBy(own, request, signal, tell, given) {
    tell('Compiling');
    const made = await limited(LIMIT, signal, signal => answer(own, { request, given }, signal));
    if (made.trapped !== undefined) {
        throw broken(made);
    }
    if (!made.lacks) {
        return made.compiled;
    }
    tell('Fetching headers, once');
    return compiledBy(own, request, signal, tell, { [made.lacks]: await headers(made.lacks) });
}

/** What `work(worker)` gives, once the worker is there. */
async function inTurn(work, signal, tell) {
    signal.throwIfAborted();
    const own = ready(signal, tell);
    try {
        return await work(await own);
    } catch (error) {
        own.then(worker => worker.terminate(), () => {});
        ready.forget();
        throw signal.aborted ? signal.reason : asSentence(error);
    }
}

function asSentence(error) {
    const isRefused = typeof WebAssembly === 'undefined' || error instanceof WebAssembly.CompileError;
    return isRefused ? new Sentence(NOT_STARTED) : error;
}

function afterOthers(work, signal, tell) {
    const turn = before.then(() => inTurn(work, signal, tell));
    before = turn.catch(() => {});
    return turn;
}

/** Compiles a request, `source` as the file `path`, as `--compiler clang` does in a terminal: `{ ptx, newer,
    said, program, status, seconds }`, of which crates/kernel-compiler/src/in_page.rs has the meaning, and the
    compiler's name, `compiler`. Without PTX if it refuses. `tell` gets words, and a fraction where there is
    one. Rejects with a Sentence, and with the signal's reason. */
export const compile = (request, signal, tell) => afterOthers(async own => {
    const made = await compiledBy(own, request, signal, tell);
    return { ...made, compiler: `clang ${(await manifest()).version}` };
}, signal, tell);

/** What cures what the page's program finds with `args` and `files`: a list of { says, cures_all, edits },
    the best first. The worker that compiles runs it, since a cure was compiled and run. */
export const cures = ({ args, files }, signal, tell) => afterOthers(async own => {
    const asked = { args, files: { ...files, 'cures.json': '[]' } };
    const tried = await limited(LIMIT, signal, signal => answer(own, { run: asked }, signal));
    return tried.cures ?? Promise.reject(broken(tried));
}, signal, tell);

/** What came of a request, by its text. */
const known = new Map();

/** `compile`, once for each request. */
export async function build(request, signal, tell) {
    const name = JSON.stringify(request);
    if (!known.has(name)) {
        known.set(name, await compile(request, signal, tell));
    }
    return known.get(name);
}

const MESSAGE = /^(.+?)\((\d+)\): (?:fatal )?(error|warning): (.*)$/;

/** What takes the place of the lines that a message is about. */
const INSTEAD = /^ {4}\/\/@ /;

/** The messages in what the compiler said: { file, line, kind, message }, as those of the simulator. */
export function messages(said) {
    const found = [];
    for (const text of said.split('\n')) {
        const [, file, line, kind, message] = text.match(MESSAGE) ?? [];
        if (file) {
            found.push({ file, line: Number(line), kind, message });
        } else if (INSTEAD.test(text) && found.at(-1)?.message.endsWith(':')) {
            (found.at(-1).instead ??= []).push(text.trim());
        }
    }
    return found.map(({ instead = [], ...one }) => ({ ...one,
        message: [one.message, ...instead].join('\n') }));
}

/** Why there is no PTX. */
export function refusal(found) {
    const errors = found.filter(({ kind }) => kind === 'error');
    const [{ line } = {}] = errors;
    return `It does not compile: ${counted(errors.length, 'error')}${line ? `, line ${line}` : ''}.`;
}
