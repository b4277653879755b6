// Service worker of a published book: a page that was kept is there without the network. Registered by live/offline.js at a
// reader's first run, which also keeps the pages; in this place, so that it serves all of them.
//
// Each page is kept with all of its own files, in a cache of its own, and so as one version of the book: after a new version
// the pages that are not yet opened again have their old files, not a mixture. With the network nothing is older than what
// the server has.

/** The cache of a page; live/offline.js calls it so, too. */
const cacheOf = address => `workbook ${new URL(address).pathname}`;

/** The cache of former versions of this file, which held files of several versions. */
const FORMER = 'workbook';

const pathOf = cache => cache.slice('workbook '.length);

const escaped = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Says, in the style of the book, that a page was never opened, and which ones are there. */
async function missing() {
    const found = await shell();
    return found && shown(await found.response.text(), await links());
}

const keptPages = async () => (await caches.keys()).filter(name => name.startsWith('workbook /'));

/** A kept page, whose looks another one takes, and its cache. */
async function shell() {
    for (const name of await keptPages()) {
        const cache = await caches.open(name);
        const response = await cache.match(pathOf(name), { ignoreSearch: true });
        if (response) {
            return { cache, response };
        }
    }
    return undefined;
}

/** A link to each kept page, by its title. */
async function links() {
    const all = await Promise.all((await keptPages()).map(async name => {
        const response = await (await caches.open(name)).match(pathOf(name), { ignoreSearch: true });
        const [, title] = (await response?.text())?.match(/<title>([^]*?)<\/title>/) ?? [];
        return title && `<li><a href="${escaped(pathOf(name))}">${title}</a></li>`;
    }));
    return all.filter(Boolean).join('');
}

function shown(shell, links) {
    const words = '<h1>This page is not here yet</h1>' +
        '<p id="offline">You are offline, and this page was not opened here before: open it once with the network, and it is kept.</p>' +
        `<p>These pages are kept:</p><ul>${links}</ul>`;
    const html = shell
        .replace(/<title>[^]*?<\/title>/, '<title>Offline</title>')
        .replace(/<main>[^]*<\/main>/, () => `<main>${words}</main>`);
    return new Response(html, { status: 503, headers: { 'Content-Type': 'text/html; charset=utf-8' } });
}

/** What is kept of the page that asks. */
async function kept({ request, clientId }) {
    const isPage = request.mode === 'navigate';
    const page = isPage ? request.url : (await clients.get(clientId))?.url;
    if (page && (await caches.has(cacheOf(page)))) {
        return (await caches.open(cacheOf(page))).match(request, { ignoreSearch: true });
    }
    // The page that says that it is missing has the files of another one.
    return isPage ? undefined : (await shell())?.cache.match(request, { ignoreSearch: true });
}

async function answer(event) {
    const { request } = event;
    const isPage = request.mode === 'navigate';
    try {
        // What the browser has of its own accord may be of another version than the rest of the page.
        return await (isPage ? fetch(request) : fetch(request, { cache: 'no-cache' }));
    } catch (error) {
        const found = (await kept(event)) ?? (isPage ? await missing() : undefined);
        if (found) {
            return found;
        }
        throw error;
    }
}

addEventListener('activate', event => event.waitUntil(caches.delete(FORMER)));

addEventListener('fetch', event => {
    const { method, url } = event.request;
    const { origin, pathname } = new URL(url);
    // The compiler is kept by live/compiler.js, unpacked.
    if (method === 'GET' && origin === location.origin && !pathname.endsWith('clang.wasm.zst')) {
        event.respondWith(answer(event));
    }
});
