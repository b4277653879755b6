// Has a published book kept for reading and running without the network, page by page: the service worker,
// ../offline.js, is told what a page has fetched, keeps all of it, and serves it.

import { load } from './fetched.js';
import { button, element, stylesheet } from './html.js';

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/** live/compiler.js keeps it, unpacked. */
const COMPILER = '/live/clang/clang.wasm';

/** Where the book is served from the reader's own machine, it is there anyway. */
const isPublished = () => Boolean(globalThis.navigator?.serviceWorker) && !LOCAL.includes(location.hostname);

let asked = new Set();
let hasRun = false;

/** What this page has fetched so far, and the page itself. */
function fetched() {
    const names = performance.getEntriesByType('resource')
        .map(({ name }) => name.split(/[?#]/)[0]); // a script's address also says its content
    const ours = names.filter(name => name.startsWith(location.origin) && !name.includes(COMPILER));
    return new Set(ours).add(location.origin + location.pathname);
}

async function registered() {
    await navigator.serviceWorker.register(new URL('../offline.js', import.meta.url));
    return (await navigator.serviceWorker.ready).active;
}

/** Has the page kept as it stands: its own version of the book, or nothing. */
export async function keep() {
    const names = fetched();
    const version = document.querySelector('[data-book-version]')?.dataset.bookVersion;
    if (!isPublished() || !version || [...names].every(name => asked.has(name))) {
        return;
    }
    const before = asked;
    asked = names;
    try {
        const worker = navigator.serviceWorker.controller ?? (await registered());
        worker.postMessage({ page: location.origin + location.pathname, version, names: [...names] });
    } catch {
        asked = before; // A browser that keeps nothing: the page works as long as it is open.
    }
}

/** Has the page kept with what editing takes, except for the compiler, which is large: the page says that it
    is missing. */
export async function keepForRuns() {
    if (!isPublished() || hasRun) {
        return keep();
    }
    hasRun = true;
    try {
        const { prepare } = await load('compiler.js');
        await Promise.all([load('workbench.js'), load('editor.js'), stylesheet('editor.css'), prepare()]);
    } catch {
        hasRun = false; // Without the network what is kept already has to do; the next run tries again.
    }
    await keep();
    const follow = () => tell().catch(() => {}); // what it needs to know is not kept
    addEventListener('offline', follow);
    addEventListener('online', follow);
    return follow();
}

const note = globalThis.document && element('p', { className: 'run-all offline-note', role: 'status' });

/** Says what works without the network and what does not, before somebody needs it. */
export async function tell() {
    const { fetchAhead, isKept, megabytes } = await load('compiler.js');
    if (await isKept()) {
        note.remove();
        return;
    }
    const size = await megabytes();
    if (navigator.onLine) {
        const press = async () => {
            note.textContent = 'Fetching the compiler …';
            await fetchAhead(new AbortController().signal, words => (note.textContent = `${words} …`))
                .then(tell, error => (note.textContent = error.message));
        };
        note.replaceChildren(`Without the network, Run works on this page; code that you edit needs the ` +
            `compiler, ${size} MB. `,
            button('Keep the compiler', press));
    } else {
        note.textContent = `Offline: Run works here. Code that you edit needs the compiler, ${size} MB, ` +
            `which takes the network once.`;
    }
    const before = document.querySelector('main .run-all') ?? document.querySelector('main h1');
    before.after(note);
}

if (isPublished() && navigator.serviceWorker.controller) {
    // The reader has run something in this book: what they read is kept, too.
    keep();
}
