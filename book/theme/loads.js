// How the page loads what it needs later, over a network that may fail. One rule: what could not be loaded is
// loaded again at the next press, and until then a sentence says which file is missing and what to press.
// Modules of live/ are loaded here, all its other files by live/fetched.js.
'use strict';

(() => {
    /** A reason, in one sentence, why something is not done. */
    class Sentence extends Error {}

    class NotLoaded extends Sentence {
        constructor(what) {
            super(`${what} could not be loaded (network?).`);
        }
    }
    const notLoaded = name => new NotLoaded(`The file live/${name}`);

    /** What to say of an error. `again` is how the reader has it done once more: `Press Run`. */
    const reason = (error, again) => {
        if (!(error instanceof Sentence)) {
            return `The page’s script failed, which is a bug in the page: ${error?.message ?? error}`;
        }
        return error instanceof NotLoaded && again ? `${error.message} ${again} to try again.`
            : error.message;
    };

    /** `work`, done at the first call alone; at the next one once more, if it has failed. What `forget()`
        forgets is done anew, too. */
    const once = work => {
        let done;
        const result = (...given) => {
            if (!done) {
                const now = (async () => work(...given))();
                done = now;
                now.catch(() => done === now && result.forget());
            }
            return done;
        };
        result.forget = () => (done = undefined);
        return result;
    };

    /** Where it stands why a work is not done. */
    const lines = new Map();
    /** Does `work`, for which no button has been pressed. If it fails, a line after `place` says why, with a
        button that does it again. */
    const attempt = async (work, place) => {
        try {
            await work();
            lines.get(work)?.remove();
        } catch (error) {
            const again = Object.assign(document.createElement('button'),
                { type: 'button', textContent: 'Try again' });
            again.addEventListener('click', () => attempt(work, place));
            const line = lines.get(work) ?? Object.assign(document.createElement('p'),
                { className: 'card-status not-loaded', role: 'alert' });
            lines.set(work, line);
            line.replaceChildren(reason(error), ...(error instanceof NotLoaded ? [' ', again] : []));
            place.after(line);
        }
    };

    // The files of live/ are those of this page's version of the book, or none: no tab runs scripts of two
    // versions.
    const live = new URL('../live/', /** @type {HTMLScriptElement} */ (document.currentScript).src);
    const version = document.querySelector('[data-book-version]')?.dataset.bookVersion;
    const NEWER =
        'The book has a newer version than this page. Load the page again; what you have written is kept.';
    const LIST = 'files.json';
    /** What each file of live/ is, by its path there. */
    const listed = async signal => {
        const response = await fetch(new URL(LIST, live), { cache: 'no-cache', signal }).catch(() => {
            signal?.throwIfAborted();
            throw notLoaded(LIST);
        });
        const list = response.ok && (await response.json().catch(() => undefined)); // it breaks off
        if (!list) {
            throw notLoaded(LIST);
        }
        if (list.version !== version) {
            throw new Sentence(NEWER);
        }
        return list.files;
    };
    /** Modules by their content: each has an address of its own, under which no cache has an older one, and
        one that is not whole is not run. */
    const modules = files => Object.entries(files).filter(([name]) => name.endsWith('.js'))
        .map(([name, { sha256 }]) => ({
        name,
        plain: new URL(name, live).href,
        address: new URL(`${name}?${sha256.slice(0, 16)}`, live).href,
        integrity: `sha256-${btoa(sha256.replace(/../g, byte => String.fromCharCode(parseInt(byte, 16))))}`,
    }));
    /** Has the browser take them so. */
    const map = files => {
        const all = modules(files);
        const imports = Object.fromEntries(all.map(({ plain, address }) => [plain, address]));
        const integrity = Object.fromEntries(all.map(({ address, integrity }) => [address, integrity]));
        const textContent = JSON.stringify({ imports, integrity });
        document.head.append(Object.assign(document.createElement('script'),
            { type: 'importmap', textContent }));
    };
    const IMPORTED = /^(?:import|export)\b[^'"]*['"](\.[^'"]+)['"]/gm;
    /** Fetches a module again, and what it imports, since what the browser keeps of one may be damaged; the
        name of one that does not come as it is. */
    const missing = async (name, all, seen = new Set()) => {
        const module = all.find(module => module.name === name);
        if (!module || seen.has(name)) {
            return undefined;
        }
        seen.add(name);
        const { plain, address, integrity } = module;
        const text = await fetch(address, { cache: 'reload', integrity })
            .then(response => response.text(), () => undefined);
        if (text === undefined) {
            return name;
        }
        const imports = Array.from(text.matchAll(IMPORTED),
            ([, path]) => new URL(path, plain).href.slice(live.href.length));
        const are = await Promise.all(imports.map(name => missing(name, all, seen)));
        return are.find(Boolean);
    };
    const mapped = once(map);
    /** A module of live/. */
    const load = async name => {
        const files = await listed();
        await mapped(files);
        const address = new URL(name, live).href;
        return import(address).catch(async error => {
            const lost = await missing(name, modules(files));
            if (lost) {
                throw notLoaded(lost);
            }
            // What a module throws as it starts it throws again, the very same.
            return import(address).catch(again => Promise.reject(again === error ? error : notLoaded(name)));
        });
    };
    const loads = { Sentence, NotLoaded, notLoaded, reason, once, attempt, listed, load };
    window.workbook = /** @type {any} */ (loads); // workbook.js has the rest
})();
