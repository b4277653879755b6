// The files of live/, each fetched once, so that what needs one again starts without the network; and workers made of them.

/** A reason, in one sentence, why there is no result. */
export class Sentence extends Error {}

export class NotFetched extends Sentence {
    constructor(what = 'What this needs') {
        super(`${what} could not be fetched, which takes the network once. Is the server still there?`);
    }
}

/** Why there is no result, in a sentence. */
export const reason = error => (error instanceof Sentence ? error.message : `The page’s script failed, which is a bug in the page: ${error.message}`);

const at = name => new URL(name, import.meta.url);
const files = new Map();

/** The response for a file, if the server has it. */
export async function fetched(name, options) {
    const response = await fetch(at(name), options).catch(() => {
        options?.signal?.throwIfAborted();
        throw new NotFetched();
    });
    if (!response.ok) {
        throw new NotFetched();
    }
    return response;
}

/** What `read` makes of a file, fetched once; again if that went wrong. */
export function file(name, read = response => response.text()) {
    if (!files.has(name)) {
        const content = fetched(name).then(read);
        content.catch(() => files.delete(name));
        files.set(name, content);
    }
    return files.get(name);
}

/** A module of live/. What browsers throw for one that they cannot fetch is a TypeError, each with words of its own. */
export const fetchedModule = name => import(at(name)).catch(error => {
    throw error instanceof TypeError ? new NotFetched() : error;
});

/** A worker of some scripts, as one, apart from the page so that this goes on scrolling. */
export async function worker(...names) {
    const scripts = await Promise.all(names.map(name => file(name)));
    return new Worker(URL.createObjectURL(new Blob(scripts, { type: 'text/javascript' })));
}

/** A worker's answer to a message; `trapped` and `stderr` of one that breaks off. How far it is goes to `progress`. */
export const answer = (worker, message, signal, { transferred = [], progress } = {}) => new Promise((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.onmessage = ({ data }) => (data.progress === undefined ? resolve(data) : progress(data.progress));
    worker.onerror = () => resolve({ trapped: 'out of memory', stderr: '' });
    worker.postMessage(message, transferred);
});

/** What is packed in these bytes. */
export async function unpacked(packed) {
    const own = await worker('vendor/fzstd.js', 'unpack_worker.js');
    try {
        const { bytes, trapped } = await answer(own, packed, new AbortController().signal, { transferred: [packed] });
        return bytes ?? Promise.reject(new Error(trapped));
    } finally {
        own.terminate();
    }
}

/** The program of the page (book/page), compiled. */
export const program = () => file('workbook.wasm.zst', async response => WebAssembly.compile(await unpacked(await response.arrayBuffer())));
