// Service worker of a published book: a page that was kept is there without the network. live/offline.js registers it at a
// reader's first run, and says what each page needs; it lies in this folder so that it serves all of them.
//
// Each version of each page is kept with all of its files in a cache of its own, so that no page is made of two versions of the
// book. With the network nothing is older than what the server has.

const KEPT = 'workbook ';

/** The cache of a page's version. */
const cacheOf = (page, version) => `${KEPT}${new URL(page).pathname} ${version}`;

/** The path of the page that a cache is of. */
const pathOf = cache => cache.split(' ')[1];

/** The caches of a page that hold the page itself, which is put in last: those are complete. */
async function complete(path) {
    const names = (await caches.keys()).filter(name => name.startsWith(KEPT) && (!path || pathOf(name) === path));
    const found = await Promise.all(names.map(async name => {
        const cache = await caches.open(name);
        const page = await cache.match(pathOf(name));
        return page && { name, cache, page };
    }));
    return found.filter(Boolean);
}

/** What the server has now, read to its end. */
async function latest(name) {
    const response = await fetch(name, { cache: 'no-cache' });
    if (!response.ok) {
        throw new Error(`${name}: ${response.status}`);
    }
    return new Response(await response.blob(), { headers: { 'Content-Type': response.headers.get('Content-Type') ?? '' } });
}

const isOf = async (version, page) => (await page.clone().text()).includes(`data-book-version="${version}"`);

/** Keeps what a page of `version` needs, in place of what is kept of it; nothing, if the server has another version by now: the
    page is kept when it is opened again. */
async function keep({ page, version, names }) {
    const before = await latest(page);
    const parts = await Promise.all(names.filter(name => name !== page).map(async name => [name, await latest(name)]));
    const after = await latest(page);
    if (!(await isOf(version, before)) || !(await isOf(version, after))) {
        return;
    }
    const own = cacheOf(page, version);
    const cache = await caches.open(own);
    for (const [name, response] of parts) {
        await cache.put(name, response);
    }
    await cache.put(page, after);
    for (const { name } of await complete(pathOf(own))) {
        if (name !== own) {
            await caches.delete(name);
        }
    }
}

const escaped = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Says, in the style of the book, that a page was never opened, and which ones are there. */
async function missing() {
    const pages = await complete();
    if (!pages.length) {
        return undefined;
    }
    const texts = await Promise.all(pages.map(({ page }) => page.text()));
    const links = texts.map((text, at) => {
        const [, title] = text.match(/<title>([^]*?)<\/title>/) ?? [];
        const path = pathOf(pages[at].name);
        return `<li><a href="${escaped(path)}">${title ?? escaped(path)}</a></li>`;
    });
    const words = '<h1>This page is not here yet</h1>' +
        '<p id="offline">You are offline, and this page was not opened here before: open it once with the network, and it is kept.</p>' +
        `<p>These pages are kept:</p><ul>${links.join('')}</ul>`;
    const html = texts[0]
        .replace(/<title>[^]*?<\/title>/, '<title>Offline</title>')
        .replace(/<main>[^]*<\/main>/, () => `<main>${words}</main>`);
    return new Response(html, { status: 503, headers: { 'Content-Type': 'text/html; charset=utf-8' } });
}

/** What is kept of the page that asks. The page that says that it is missing has the files of another one. */
async function kept({ request, clientId }) {
    const isPage = request.mode === 'navigate';
    const page = isPage ? request.url : (await clients.get(clientId))?.url;
    const own = page ? await complete(new URL(page).pathname) : [];
    const [found] = own.length || isPage ? own : await complete();
    return found?.cache.match(request, { ignoreSearch: true });
}

async function answer(event) {
    try {
        // What the browser has of its own accord may be of another version than the rest of the page.
        return await fetch(event.request, { cache: 'no-cache' });
    } catch (error) {
        const isPage = event.request.mode === 'navigate';
        const found = (await kept(event)) ?? (isPage ? await missing() : undefined);
        if (found) {
            return found;
        }
        throw error;
    }
}

// A former version of this file kept files of several versions in it.
addEventListener('activate', event => event.waitUntil(caches.delete('workbook')));

/** What is kept, one page after the other. */
let turn = Promise.resolve();

addEventListener('message', event => {
    // A browser without room, or a server that has gone: what was kept before stays as it was.
    turn = turn.then(() => keep(event.data)).catch(() => {});
    event.waitUntil(turn);
});

addEventListener('fetch', event => {
    const { method, url } = event.request;
    const { origin, pathname } = new URL(url);
    // The compiler is kept by live/compiler.js, unpacked.
    if (method === 'GET' && origin === location.origin && !pathname.endsWith('clang.wasm.zst')) {
        event.respondWith(answer(event));
    }
});
