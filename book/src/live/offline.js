// Keeps a published book for reading and running without the network, page by page: all that a page has fetched, at once, so
// that what is kept of it is of one version. ../offline.js serves it.

import { button, element } from './html.js';

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/** It keeps itself, unpacked. */
const COMPILER = '/live/clang/clang.wasm';

/** The cache of this page; ../offline.js calls it so, too. */
const CACHE = `workbook ${location.pathname}`;

/** Where the book is served from the reader's own machine, it is there anyway. */
const isPublished = () => Boolean(navigator.serviceWorker) && !LOCAL.includes(location.hostname);

let known = new Set();
let hasRun = false;

/** What this page has fetched so far, and the page itself. */
function fetched() {
    const names = performance.getEntriesByType('resource').map(({ name }) => name.split('#')[0]);
    const ours = names.filter(name => name.startsWith(location.origin) && !name.includes(COMPILER));
    return new Set([location.origin + location.pathname, ...ours]);
}

/** Keeps the page as it stands. */
export async function keep() {
    const names = fetched();
    if (!isPublished() || [...names].every(name => known.has(name))) {
        return;
    }
    try {
        await navigator.serviceWorker.register(new URL('../offline.js', import.meta.url));
        // All or nothing: where one of them cannot be fetched, what was kept before stays as it was.
        await (await caches.open(CACHE)).addAll(names);
        known = names;
    } catch {
        // A browser that keeps nothing, or has no room: the page works as long as it is open.
    }
}

/** Keeps the page with what editing takes, except for the compiler, which is large: the page says that it is missing. */
export async function keepForRuns() {
    if (!isPublished() || hasRun) {
        return keep();
    }
    hasRun = true;
    try {
        const { prepare } = await import('./compiler.js');
        await Promise.all([import('./workbench.js'), import('./editor.js'), prepare()]);
    } catch {
        // Without the network: what is kept already has to do.
    }
    await keep();
    const follow = () => tell().catch(() => {}); // what it needs to know is not kept
    addEventListener('offline', follow);
    addEventListener('online', follow);
    return follow();
}

const note = element('p', { className: 'run-all offline-note', role: 'status' });

/** Says what works without the network and what does not, before somebody needs it. */
export async function tell() {
    const { fetchAhead, isKept, megabytes } = await import('./compiler.js');
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
        note.replaceChildren(`Without the network, Run works on this page; code that you edit needs the compiler, ${size} MB. `,
            button('Keep the compiler', press));
    } else {
        note.textContent = `Offline: Run works here. Code that you edit needs the compiler, ${size} MB, which takes the network once.`;
    }
    const before = document.querySelector('main .run-all') ?? document.querySelector('main h1');
    before.after(note);
}

if (isPublished() && navigator.serviceWorker.controller) {
    // The reader has run something in this book: what they read is kept, too.
    keep();
}
