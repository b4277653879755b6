// Service worker of a published book: a page that was kept is there without the network. live/offline.js
// registers it at a reader's first run, and says what each page needs; it lies in this folder so that it
// serves all of them.
//
// Each version of each page is kept with all of its files in a cache of its own, so that no page is made of
// two versions of the book. With the network nothing is older than what the server has.

importScripts('live/whole.js');

const KEPT = 'workbook ';

/** What the bytes of a kept response are, as whole.js has it. */
const ABOUT = 'X-About-Bytes';

/** The cache of a page's version. */
const cacheOf = (page, version) => `${KEPT}${new URL(page).pathname} ${version}`;

/** The path of the page that a cache is of. */
const pathOf = cache => cache.split(' ')[1];

/** The caches of a page that hold the page itself, which is put in last: those are complete. */
async function complete(path) {
    const names = (await caches.keys()).filter(name => name.startsWith(KEPT)
        && (!path || pathOf(name) === path));
    const found = await Promise.all(names.map(async name => {
        const cache = await caches.open(name);
        const page = await taken(cache, pathOf(name));
        return page && { name, cache, page };
    }));
    return found.filter(Boolean);
}

/** What the server answers now, read to its end.
    @param {string} name
    @param {RequestCache} [cache] */
async function latest(name, cache = 'no-cache') {
    const response = await fetch(name, { cache });
    const bytes = await response.arrayBuffer();
    const about = await aboutBytes(bytes);
    const headers = { 'Content-Type': response.headers.get('Content-Type') ?? '',
        [ABOUT]: JSON.stringify(about) };
    return { isThere: response.ok, isGone: response.status === 404, bytes,
        response: new Response(bytes, { headers }) };
}

/** What the server has now. */
async function present(name) {
    const { isThere, response } = await latest(name);
    if (!isThere) {
        throw new Error(`${name} is not there`);
    }
    return response;
}

const LIVE = new URL('live/', location.href).href;

/** What the server has now, as the list of `files` has it if it does; once more if it comes as something
    else. Nothing, if it has it no more and `mayBeGone`. */
async function listedOf(name, files, mayBeGone) {
    const about = name.startsWith(LIVE) ? files[new URL(name).pathname.slice(new URL(LIVE).pathname.length)]
        : undefined;
    for (const cache of /** @type {const} */ (['no-cache', 'reload'])) {
        const { isThere, isGone, bytes, response } = await latest(name, cache);
        if (isGone && mayBeGone) {
            return undefined;
        }
        if (isThere && (!about || (await isWhole(bytes, about)))) {
            return response;
        }
    }
    throw new Error(`${name} is not there, or is damaged`);
}

/** A kept response, if it is whole; what is not is kept no longer. One of an older edition of this file says
    not what it is. */
async function taken(cache, request) {
    const response = await cache.match(request, { ignoreSearch: true });
    const about = response?.headers.get(ABOUT);
    if (!about) {
        return response;
    }
    const bytes = await response.clone().arrayBuffer().catch(() => new ArrayBuffer(0)); // it breaks off
    if (await isWhole(bytes, JSON.parse(about))) {
        return response;
    }
    await cache.delete(request, { ignoreSearch: true });
    return undefined;
}

const isOf = async (version, page) => (await page.clone().text()).includes(`data-book-version="${version}"`);

/** Keeps what a page of `version` needs, in place of what is kept of it; nothing, if the server has another
    version by now: the page is kept when it is opened again. What was kept of it, to run and to edit, is kept
    of the new version too. */
async function keep({ page, version, names }) {
    const own = cacheOf(page, version);
    const others = await complete(pathOf(own));
    const requests = (await Promise.all(others.map(({ cache }) => cache.keys()))).flat();
    const asked = new Set(names);
    const all = new Set([...names, ...requests.map(({ url }) => url.split('?')[0])]);
    all.delete(page);
    const before = await present(page);
    const { files = {} } = await (await present(`${LIVE}files.json`)).json();
    const parts = await Promise.all(Array.from(all,
        async name => [name, await listedOf(name, files, !asked.has(name))]));
    const after = await present(page);
    if (!(await isOf(version, before)) || !(await isOf(version, after))) {
        return;
    }
    const cache = await caches.open(own);
    for (const [name, response] of parts.filter(([, response]) => response)) {
        await cache.put(name, response);
    }
    await cache.put(page, after);
    for (const { name } of others) {
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
        '<p id="offline">You are offline, and this page was not opened here before: open it once with the ' +
        'network, and it is kept.</p>' +
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
    return found && taken(found.cache, request);
}

async function answer(event) {
    try {
        // What the browser has of its own accord may be of another version than the rest of the page.
        const cache = event.request.cache === 'reload' ? 'reload' : 'no-cache';
        return await fetch(event.request, { cache });
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

addEventListener('message', (/** @type {ExtendableMessageEvent} */ event) => {
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
