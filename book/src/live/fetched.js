// The files of live/, each fetched once, so that what needs one again starts without the network; and workers made of them.

const at = name => new URL(name, import.meta.url);
const fetched = new Map();

/** What `read` makes of a file, fetched once; again if that went wrong. */
export function file(name, read = response => response.text()) {
    if (!fetched.has(name)) {
        const content = fetch(at(name)).then(response => (response.ok ? read(response) : Promise.reject(new Error(`${name}: ${response.status}`))));
        content.catch(() => fetched.delete(name));
        fetched.set(name, content);
    }
    return fetched.get(name);
}

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

/** The program of the page (crates/page), compiled. */
export const program = () => file('workbook.wasm.zst', async response => WebAssembly.compile(await unpacked(await response.arrayBuffer())));
