// Service worker of a published book: what was read once is there without the network. With it, nothing is older than
// what the server has. Registered by live/offline.js at a reader's first run; in this place, so that it serves all pages.

const CACHE = 'workbook';

async function answer(request) {
    const cache = await caches.open(CACHE);
    try {
        const response = await fetch(request);
        if (response.ok) {
            await cache.put(request, response.clone());
        }
        return response;
    } catch (error) {
        const kept = await cache.match(request, { ignoreSearch: true });
        if (kept) {
            return kept;
        }
        throw error;
    }
}

addEventListener('fetch', event => {
    const { method, url } = event.request;
    const { origin, pathname } = new URL(url);
    // The compiler is kept by live/compiler.js, unpacked.
    if (method === 'GET' && origin === location.origin && !pathname.endsWith('clang.wasm.zst')) {
        event.respondWith(answer(event.request));
    }
});
