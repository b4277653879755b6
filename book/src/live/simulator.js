// The simulator's worker: what it needs is fetched once, so that a new one starts without the network; one run at a
// time; Stop ends the worker, and the next run starts another.

const at = name => new URL(name, import.meta.url);
const fetched = new Map();
let worker;
/** Ends the run that is under way, with a reason in one sentence. */
let giveUp = () => {};
let before = Promise.resolve();

const STOPPED = 'Stopped.';
const NO_MEMORY = 'The run was broken off: most likely it needs more memory than the browser gives a page. Try a smaller n.';

async function ask(name, read) {
    const response = await fetch(at(name));
    if (!response.ok) {
        throw new Error(`${name}: ${response.status}`);
    }
    return read(response);
}

/** What `read` makes of a file, fetched once; again if that went wrong. */
function file(name, read = response => response.text()) {
    if (!fetched.has(name)) {
        fetched.set(name, ask(name, read));
        fetched.get(name).catch(() => fetched.delete(name));
    }
    return fetched.get(name);
}

/** Compiled while it comes, where the server says what it is. */
const compile = async response => (response.headers.get('Content-Type') === 'application/wasm'
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer()));

async function started() {
    const [module, script] = await Promise.all([file('workbook.wasm', compile), file('worker.js', response => response.blob())]);
    if (!worker) {
        const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
        worker = { post: new Worker(address), builds: new Map() };
        worker.post.postMessage({ module });
    }
    return worker;
}

/** Fetches everything that a run needs, and starts the worker. */
export const warm = name => Promise.all([started(), file(name)]);

function end() {
    worker?.post.terminate();
    worker = undefined;
}

export function stop(reason = STOPPED) {
    end();
    giveUp(reason);
}

/** What the worker says, { answer, seconds } or { sentence, hasTrapped }, goes to `resolve`; how far it is, to `progress`. */
function listen(post, progress, resolve) {
    post.onmessage = ({ data }) => {
        if (data.progress !== undefined) {
            progress(data.progress);
        } else if (data.answer) {
            resolve(data);
        } else {
            end(); // after a trap its memory is in no known state
            resolve({ hasTrapped: true, sentence: data.trapped ? `The simulator broke off, which is a mistake of ours: ${data.trapped}` : NO_MEMORY });
        }
    };
    post.onerror = () => stop(NO_MEMORY);
}

/** Hands a request to the worker, with the build of the file `name` unless it has that already. */
function send({ post, builds }, name, build, request) {
    const isNew = builds.get(request.stem) !== name;
    builds.set(request.stem, name);
    post.postMessage({ build: isNew ? build : null, request });
}

/** Runs `request` with the kernels built in the file `name`, after the runs before it; `begin` is called when its turn
    comes. */
export function run(name, request, begin, progress) {
    const turn = before.then(() => new Promise((resolve, reject) => {
        let isOver = false;
        giveUp = sentence => {
            isOver = true;
            resolve({ sentence });
        };
        begin();
        warm(name).then(([ready, build]) => {
            if (!isOver) {
                listen(ready.post, progress, resolve);
                send(ready, name, build, request);
            }
        }).catch(reject);
    }));
    before = turn.catch(() => {});
    return turn;
}
