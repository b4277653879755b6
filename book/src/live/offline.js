// Keeps a published book for reading and running without the network: what this page has fetched, and what it will.

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/** It keeps itself, unpacked. */
const COMPILER = '/live/clang/clang.wasm';

const known = new Set();

/** Keeps what is not kept yet. */
export async function keep() {
    const fetched = performance.getEntriesByType('resource').map(({ name }) => name);
    const ours = fetched.filter(name => name.startsWith(location.origin) && !name.includes(COMPILER));
    const news = [...new Set([location.origin + location.pathname, ...ours])].filter(name => !known.has(name));
    // Where the book is served from the reader's own machine, it is there anyway.
    if (!navigator.serviceWorker || LOCAL.includes(location.hostname) || news.length === 0) {
        return;
    }
    try {
        await navigator.serviceWorker.register(new URL('../offline.js', import.meta.url));
        await (await caches.open('workbook')).addAll(news);
        news.forEach(name => known.add(name));
    } catch {
        // A browser that keeps nothing, or has no room: the page works as long as it is open.
    }
}
