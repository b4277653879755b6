// The simulator's worker: what it needs is fetched once, so that a new one starts without the network; one run at a
// time; Stop ends the worker, and the next run starts another.

const at = name => new URL(name, import.meta.url);
const fetched = new Map();
let worker;
/** Ends the run that is under way, with a reason in one sentence. */
let give_up = () => {};
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

const compile = async response => WebAssembly.compile(await response.arrayBuffer());

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
    give_up(reason);
}

/** Asks `post` for an answer, { answer, seconds } or { sentence }, which is given to `resolve`. */
function exchange({ post, builds }, name, build, request, progress, resolve) {
    post.onmessage = ({ data }) => {
        if (data.progress !== undefined) {
            progress(data.progress);
        } else if (data.answer) {
            resolve(data);
        } else {
            end(); // after a trap its memory is in no known state
            resolve({ sentence: data.trapped ? `The simulator broke off, which is a mistake of ours: ${data.trapped}` : NO_MEMORY });
        }
    };
    post.onerror = () => stop(NO_MEMORY);
    const same = builds.get(request.stem) === name;
    builds.set(request.stem, name);
    post.postMessage({ build: same ? null : build, request });
}

/** Runs `request` with the kernels built in the file `name`, after the runs before it; `begin` is called when its turn
    comes. */
export function run(name, request, begin, progress) {
    const turn = before.then(() => new Promise((resolve, reject) => {
        let over = false;
        give_up = sentence => {
            over = true;
            resolve({ sentence });
        };
        begin();
        const ask = ([ready, build]) => over || exchange(ready, name, build, request, progress, resolve);
        warm(name).then(ask).catch(reject);
    }));
    before = turn.catch(() => {});
    return turn;
}
