// The program of chapters and of the reader's own kernels, in a worker for each run: what it needs is fetched once, so that the next one starts without the
// network. One run at a time; Stop ends the worker.

const at = name => new URL(name, import.meta.url);
const fetched = new Map();
let worker;
/** Ends the run that is under way, with a reason in one sentence. */
let giveUp = () => {};
let before = Promise.resolve();

const STOPPED = 'Stopped.';
const NO_MEMORY = 'The run was broken off: most likely it needs more memory than the browser gives a page. Try a smaller n, or smaller buffers.';

/** What `read` makes of a file, fetched once; again if that went wrong. */
export function file(name, read = response => response.text()) {
    if (!fetched.has(name)) {
        const content = fetch(at(name)).then(response => (response.ok ? read(response) : Promise.reject(new Error(`${name}: ${response.status}`))));
        content.catch(() => fetched.delete(name));
        fetched.set(name, content);
    }
    return fetched.get(name);
}

/** Compiled while it comes, where the server says what it is. */
export const compileModule = async response => (response.headers.get('Content-Type') === 'application/wasm'
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer()));

/** The build of a chapter's kernels, as they stand or with an edit; nothing, if the chapter has none. */
const build = ({ stem, whatIf, simulated = true }) => (simulated ? file(whatIf ? `${stem}.${whatIf}.json` : `${stem}.json`) : '');

/** The source of a chapter's kernels, as it is printed. */
export const printed = async stem => JSON.parse(await build({ stem })).source;

async function started() {
    // One script, so that a worker can start without the network.
    const [module, ...scripts] = await Promise.all([file('workbook.wasm', compileModule), file('vendor/wasi_shim.js'), file('program.js'), file('worker.js')]);
    if (!worker) {
        worker = new Worker(URL.createObjectURL(new Blob(scripts, { type: 'text/javascript' })));
    }
    return { worker, module };
}

/** Fetches everything that a run needs, and starts the worker. */
export const warm = request => Promise.all([started(), build(request)]);

function end() {
    worker?.terminate();
    worker = undefined;
}

export function stop(reason = STOPPED) {
    end();
    giveUp(reason);
}

const asSentence = words => `${words[0].toUpperCase()}${words.slice(1)}.`;

/** What came of a run: `{ answer, seconds }`; `{ error, stderr }`, which the program says; or `{ sentence, hasTrapped }`. */
function outcome({ trapped, shown, status, stdout, stderr, saved, seconds }) {
    if (trapped !== undefined) {
        const [panic] = trapped.split('\nnote:');
        const sentence = panic.includes('panicked at') ? `The simulator broke off, which is a mistake of ours: ${panic.trim()}` : NO_MEMORY;
        return { hasTrapped: true, sentence };
    }
    return shown
        ? { answer: { ...shown, status, stdout, stderr, saved }, seconds }
        : { error: asSentence(stderr.replace(/^error: /, '').split('\n')[0]), stderr };
}

/** Hands a run to the worker, whose answer goes to `resolve`; how far it is, to `progress`. */
function send({ worker, module }, { args, files }, progress, resolve) {
    worker.onmessage = ({ data }) => {
        if (data.progress !== undefined) {
            progress(data.progress);
            return;
        }
        end(); // and with it its memory
        resolve(outcome(data));
    };
    worker.onerror = () => stop(NO_MEMORY);
    worker.postMessage({ module, args, files });
}

/** Runs the program with `args` and the files that `fetch` gives, after the runs before it; `begin` is called when its turn comes, and says
    whether it is wanted. */
export function start(args, fetch, begin, progress) {
    const turn = before.then(() => new Promise((resolve, reject) => {
        let isOver = false;
        giveUp = sentence => {
            isOver = true;
            resolve({ sentence });
        };
        if (!begin()) {
            resolve({ sentence: STOPPED });
            return;
        }
        Promise.all([started(), fetch()]).then(([ready, files]) => isOver || send(ready, { args, files }, progress, resolve)).catch(reject);
    }));
    before = turn.catch(() => {});
    return turn;
}

/** Runs the chapter `stem` with its command line's `options`, edited as `whatIf` says or with the build `edited`, to `show`
    what crates/page can. */
export function run({ stem, simulated, whatIf, edited, options, show }, begin, progress) {
    const fetch = async () =>
        ({ 'build.json': await build({ stem, simulated, whatIf }), 'show.json': JSON.stringify(show), ...(edited && { 'edited.json': JSON.stringify(edited) }) });
    return start([stem, ...options.join(' ').split(' ')], fetch, begin, progress);
}
