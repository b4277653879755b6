// A published book without the network, in Chromium: `tests/browser/check` says what it needs.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/offline.js book/book
//
// After one Run the page runs again, editor included, and says that the compiler is missing; a page that was
// not opened says so; the compiler, once kept, compiles; a new version of the book does not mix with what is
// kept of the old one.

const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const puppeteer = require('puppeteer-core');
const listed = require('./listed.js');

const PAGE = 'ch3_blocks.html';
const READ = 'ch2_parallel.html';
const NEVER = 'glossary.html';
const LATE = 'ch5_shared.html';
const RUN = 'ch6_operators.html';
const PATIENCE = 40_000;
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml',
    '.woff2': 'font/woff2', '.json': 'application/json', '.wasm': 'application/wasm' };

const problems = [];
const expect = (is, what, now) => is || problems.push(`${what}: ${JSON.stringify(now)?.slice(0, 400)}`);

/** What the server has: the book in `root`, changed by `change`; nothing, if it is off. */
const state = { isOff: false, change: (name, content) => content };

function serve(root) {
    const server = http.createServer((request, response) => {
        if (state.isOff) {
            response.destroy();
            return;
        }
        const name = decodeURIComponent(new URL(request.url, 'http://book').pathname);
        fs.readFile(path.join(root, name), (error, content) => {
            const headers = { 'Content-Type': TYPES[path.extname(name)] ?? 'text/plain',
                'Cache-Control': 'max-age=600' };
            response.writeHead(error ? 404 : 200, headers);
            response.end(error ? '' : state.change(name, content));
        });
    });
    return new Promise(ready => server.listen(0, '127.0.0.1', () => ready(server)));
}

/** Presses a button, which may be folded. */
const press = (page, selector) => page.evaluate(selector => document.querySelector(selector).click(),
    selector);

/** Runs the first cell; what it says. */
async function run(page) {
    await page.evaluate(() => document.querySelectorAll('.cell .live-out').forEach(out => out.remove()));
    await press(page, '.cell .card-run');
    await page.waitForFunction(() => {
        const cell = document.querySelector('.cell[data-live]');
        return cell.querySelector('.live-out')
            || /offline|could not|kept/i.test(cell.querySelector('.card-status').textContent);
    }, { timeout: PATIENCE });
    return page.evaluate(() => {
        const cell = document.querySelector('.cell[data-live]');
        return { result: Boolean(cell.querySelector('.live-out')),
            status: cell.querySelector('.card-status').textContent };
    });
}

const note = page => page.evaluate(() => document.querySelector('.offline-note')?.textContent ?? '');
const versionOf = page => page.$eval('[data-book-version]', mark => mark.dataset.bookVersion);
/** Waits until a page is kept, with one of its files. */
const isKept = (page, name, version, file = '') => page.waitForFunction(async (name, version, file) => {
    const cache = await caches.open(`workbook /${name} ${version}`);
    return Boolean((await cache.match(`/${name}`)) && (!file || (await cache.match(file))));
}, { timeout: PATIENCE, polling: 200 }, name, version, file);
/** What a page has fetched that was run in. */
const EDITOR = '/live/editor.js';

/** The next version of the book: its scripts say that they are new. */
const IS_NEW = 'globalThis.isNew = true;\n';
function newer(name, content) {
    if (/\/live\/.*\.js$/.test(name)) {
        return Buffer.concat([Buffer.from(IS_NEW), content]);
    }
    if (name === '/live/files.json') {
        const ofScript = file => listed.about(newer(`/live/${file}`,
            fs.readFileSync(path.join(process.argv[2], 'live', file))));
        return listed(content, (file, entry) => (file.endsWith('.js') ? ofScript(file) : entry),
            { version: 'newer' });
    }
    return name.endsWith('.html') ? content.toString()
        .replace(/data-book-version="\w+"/, 'data-book-version="newer"') : content;
}

async function edit(page) {
    await press(page, '.listing button');
    await page.waitForSelector('.cm-content', { timeout: PATIENCE });
    await page.focus('.cm-content');
    await page.keyboard.down('Control');
    await page.keyboard.press('End');
    await page.keyboard.up('Control');
    await page.keyboard.sendCharacter(' // mine');
}

async function story(page, origin) {
    await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
    expect((await page.evaluate(() => caches.keys())).length === 0, 'kept before anything ran',
        await page.evaluate(() => caches.keys()));
    const first = await run(page);
    expect(first.result, 'it does not run', first);
    await page.waitForSelector('.offline-note button', { timeout: PATIENCE });
    expect(/needs the compiler, 9 MB/.test(await note(page)),
        'the page does not say what is missing before it is needed', await note(page));
    await isKept(page, PAGE, await versionOf(page), EDITOR);

    await page.goto(`${origin}/${RUN}`, { waitUntil: 'load' });
    await run(page);
    await isKept(page, RUN, await versionOf(page), '/live/workbook.wasm.zst');

    // A page that is only read afterwards.
    await page.goto(`${origin}/${READ}`, { waitUntil: 'load' });
    await isKept(page, READ, await versionOf(page));

    state.isOff = true;
    await page.goto(`${origin}/${NEVER}`, { waitUntil: 'load' });
    const missing = await page.evaluate(() => ({
        text: document.querySelector('main')?.textContent,
        links: [...document.querySelectorAll('main a')].map(link => link.getAttribute('href')),
        sheets: document.styleSheets.length,
    }));
    expect(/You are offline, and this page was not opened here before/.test(missing.text),
        'a page that was never opened does not say so', missing);
    expect(missing.links.includes(`/${PAGE}`) && missing.sheets > 3,
        'it does not lead to the kept ones, in the style of the book', missing);
    await page.goto(`${origin}/${READ}`, { waitUntil: 'load' });
    expect(await page.evaluate(() => Boolean(document.querySelector('main .listing'))),
        'a page that was read is not kept', await page.title());

    await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
    const again = await run(page);
    expect(again.result, 'it does not run without the network', again);
    await edit(page);
    await press(page, '.workbench .card-run');
    const isMissed = () => /^The compiler could not be loaded \(network\?\)\. Press Run to try again\.$/
        .test(document.querySelector('.cell[data-live] .card-status').textContent);
    await page.waitForFunction(isMissed, { timeout: PATIENCE })
        .catch(async () => problems.push(`without a compiler an edit does not say what is missing: ` +
            `${await page.$eval('.cell[data-live] .card-status', status => status.textContent)}`));

    // The compiler, kept.
    state.isOff = false;
    await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
    await page.evaluate(() => localStorage.clear());
    await page.reload({ waitUntil: 'load' });
    await run(page);
    await page.waitForSelector('.offline-note button', { timeout: PATIENCE });
    await press(page, '.offline-note button');
    await page.waitForFunction(() => !document.querySelector('.offline-note'), { timeout: PATIENCE });
    state.isOff = true;
    await page.reload({ waitUntil: 'load' });
    await edit(page);
    const edited = await run(page);
    expect(edited.result, 'an edit does not compile without the network', edited);

    // A new version, of which the reader sees one page: the other one keeps all of its own files.
    state.isOff = false;
    let isFirst = true;
    state.change = (name, content) => {
        const isOld = isFirst && name === `/${LATE}`;
        isFirst &&= !isOld;
        return isOld ? content : newer(name, content);
    };
    await page.goto(`${origin}/${LATE}`, { waitUntil: 'load' });
    await run(page);
    // One that was run in before and is only read now can still be run, and edited.
    await page.goto(`${origin}/${RUN}`, { waitUntil: 'load' });
    await isKept(page, RUN, 'newer');
    await page.goto(`${origin}/${READ}`, { waitUntil: 'load' });
    await run(page);
    await isKept(page, READ, 'newer', EDITOR);
    state.isOff = true;
    await page.goto(`${origin}/${LATE}`, { waitUntil: 'load' });
    const late = await page.evaluate(() => document.querySelector('main').textContent);
    expect(/was not opened here before/.test(late),
        'a page is kept of which the server has another version by now', late.slice(0, 200));
    await page.goto(`${origin}/${READ}`, { waitUntil: 'load' });
    const latest = await run(page);
    const editor = await page.evaluate(async file => (await caches.match(file,
        { cacheName: (await caches.keys()).find(name => name.endsWith(' newer')) })).text(), EDITOR);
    expect(latest.result && editor.includes('isNew'), 'what is kept is not the latest that was read', latest);
    await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
    await page.evaluate(() => localStorage.clear());
    const old = await run(page);
    expect(old.result && !(await page.evaluate(() => globalThis.isNew)),
        'a kept page has files of another version', old);
    await page.goto(`${origin}/${RUN}`, { waitUntil: 'load' });
    await page.evaluate(() => localStorage.clear());
    const asBefore = await run(page);
    expect(asBefore.result && (await page.evaluate(() => globalThis.isNew)),
        'a newer version takes away what ran without the network', asBefore);
    await inPart(page, origin);
}

/** What is kept in part, since the tab was closed meanwhile, or with a flipped byte, is not used: a sentence
    says what is missing, and with the network it is kept again. */
async function inPart(page, origin) {
    const spoil = how => page.evaluate(async (name, how) => {
        const cache = await caches.open(name);
        const { headers } = await cache.match('/live/workbook.wasm.zst');
        const bytes = new Uint8Array(await (await cache.match('/live/workbook.wasm.zst')).arrayBuffer());
        bytes[bytes.length >> 1] ^= 1;
        await cache.put('/live/workbook.wasm.zst',
            new Response(how === 'cut' ? bytes.subarray(0, bytes.length >> 1) : bytes, { headers }));
    }, `workbook /${RUN} newer`, how);
    for (const how of ['cut', 'flipped']) {
        state.isOff = true;
        await spoil(how);
        await page.goto(`${origin}/${RUN}`, { waitUntil: 'load' });
        const without = await run(page);
        expect(!without.result
            && /^The file live\/workbook\.wasm\.zst could not be loaded \(network\?\)/.test(without.status),
            `a simulator that is kept ${how}`, without);
        state.isOff = false;
        await page.goto(`${origin}/${RUN}`, { waitUntil: 'load' });
        const again = await run(page);
        expect(again.result, `with the network a simulator that was kept ${how}`, again);
        await isKept(page, RUN, 'newer', '/live/workbook.wasm.zst');
        state.isOff = true;
        await page.goto(`${origin}/${RUN}`, { waitUntil: 'load' });
        const kept = await run(page);
        expect(kept.result, `without the network a simulator that was kept ${how}`, kept);
    }
}

async function main() {
    const server = await serve(path.resolve(process.argv[2]));
    const origin = `http://book.test:${server.address().port}`;
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-offline-'));
    const browser = await puppeteer.launch({
        executablePath: process.env.CHROMIUM,
        userDataDir: profile,
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
            '--host-resolver-rules=MAP book.test 127.0.0.1',
            `--unsafely-treat-insecure-origin-as-secure=${origin}`],
    });
    try {
        const page = await browser.newPage();
        page.on('pageerror', error => problems.push(`script error: ${error.stack}`));
        // Every result is of a run, and none what the tab remembers.
        await page.evaluateOnNewDocument(() => location.origin === 'null' || sessionStorage.clear());
        await story(page, origin).catch(error => problems.push(error.stack));
    } finally {
        await browser.close();
        server.close();
        server.closeAllConnections();
        fs.rmSync(profile, { recursive: true, force: true });
    }
    problems.forEach(problem => console.log(problem));
    console.log(problems.length ? `${problems.length} things are wrong without the network`
        : 'the book works without the network as far as it says');
    process.exitCode = problems.length ? 1 : 0;
}

main();
