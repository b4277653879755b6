// The files of live/, each fetched once, so that what needs one again starts without the network; and workers
// made of them. None is used that is not what files.json says.

import './whole.js';

export const { NotLoaded, Sentence, load, once, reason } = window.workbook;
const { listed, notLoaded } = window.workbook;

/** What came from the network was something else than the book has, twice. */
export class Damaged extends Sentence {
    constructor(what) {
        super(`${what} did not arrive as the book has it, twice. Load the page again; if that does not ` +
            `help, the server or what lies between is at fault.`);
    }
}

const at = name => new URL(name, import.meta.url);
const files = new Map();

/** The response for a file, `what` it is, if the server has it. */
export async function fetched(name, options, what) {
    const missing = () => (what ? new NotLoaded(what) : notLoaded(name));
    const response = await fetch(at(name), options).catch(() => {
        options?.signal?.throwIfAborted();
        throw missing();
    });
    if (response.ok) {
        return response;
    }
    if (options?.cache === 'reload') {
        throw missing();
    }
    // The browser may remember what the server lacked.
    return fetched(name, { ...options, cache: 'reload' }, what);
}

/** What comes first: the browser's own copy, unless that is damaged. */
const FROM = ['default', 'reload'];

/** What `take({ cache })` gets from the network, if `isGood`; once more if not. `what` it is, for the
    sentence. */
export async function twice(what, take, isGood) {
    for (const cache of FROM) {
        const taken = await take({ cache });
        if (taken && (await isGood(taken))) {
            return taken;
        }
    }
    throw new Damaged(what);
}

/** What is being fetched for `file`. */
let downloads = new AbortController();

/** Ends what is being fetched: what does not come on is begun anew by whoever wants it next. */
export function endDownloads(why) {
    downloads.abort(why);
    downloads = new AbortController();
}

/** The bytes of a file, as the list has it. */
async function whole(name) {
    const { signal } = downloads;
    const { [name]: about } = await listed(signal);
    if (!about) {
        throw notLoaded(name);
    }
    // A body that breaks off is no body.
    const take = async options => {
        const response = await fetched(name, { ...options, signal });
        return response.arrayBuffer().catch(() => signal.throwIfAborted());
    };
    return twice(name, take, bytes => isWhole(bytes, about));
}

/** What `read` makes of a file, fetched once. */
export function file(name, read = response => response.text()) {
    if (!files.has(name)) {
        files.set(name, once(async () => read(new Response(await whole(name)))));
    }
    return files.get(name)();
}

/** A worker of some scripts, as one, apart from the page so that this goes on scrolling. */
export async function worker(...names) {
    const scripts = await Promise.all(names.map(name => file(name)));
    return new Worker(URL.createObjectURL(new Blob(scripts, { type: 'text/javascript' })));
}

/** A worker's answer to a message, once no pointer is pressed, under which a result could move something;
    `trapped` and `stderr` of one that breaks off. How far it is goes to `progress`.
    @param {Worker} worker
    @param {unknown} message
    @param {AbortSignal} signal
    @param {{ transferred?: Transferable[], progress?: (fraction: number) => void }} [more]
    @returns {Promise<any>} */
export const answer = (worker, message, signal, { transferred = [], progress } = {}) =>
    new Promise((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.onmessage = ({ data }) => (data.progress === undefined
        ? resolve(window.workbook.released().then(() => data)) : progress(data.progress));
    worker.onerror = () => resolve({ trapped: 'out of memory', stderr: '' });
    worker.postMessage(message, transferred);
});

/** What is packed in these bytes. */
export async function unpacked(packed) {
    const own = await worker('vendor/fzstd.js', 'unpack_worker.js');
    try {
        const { bytes, trapped } = await answer(own, packed, new AbortController().signal,
            { transferred: [packed] });
        return bytes ?? Promise.reject(new Error(trapped));
    } finally {
        own.terminate();
    }
}

/** The program of the page (book/page), compiled. */
export const program = () => file('workbook.wasm.zst',
    async response => WebAssembly.compile(await unpacked(await response.arrayBuffer())));
