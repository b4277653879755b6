// What a page loads is what the book has, or a sentence says what it is not: `tests/browser/check` says what
// it needs.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/whole.js book/book
//
// Files with a flipped byte, cut off, not there, or stalled, once and always; a compiler that the browser has
// kept in part, as it does when the tab is closed meanwhile; scripts of another version. Once the server is
// well again, the next press runs.

const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const puppeteer = require('puppeteer-core');
const listed = require('./listed.js');

const PAGE = 'ch3_blocks.html';
const PATIENCE = 120_000;
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript',
    '.json': 'application/json' };

const flipped = content => {
    const other = Buffer.from(content);
    other[Math.floor(other.length / 2)] ^= 1;
    return other;
};
const cut = content => content.subarray(0, Math.floor(content.length / 2));
const missing = () => undefined;

/** The server of a built book, which spoils `state.file` by `state.how`, `state.times` times; or sends half
    of it and then nothing, while `state.isStalling`. */
function serve(root, state) {
    const server = http.createServer((request, response) => {
        const name = decodeURIComponent(new URL(request.url, 'http://book').pathname);
        const file = path.join(root, name);
        let content = fs.existsSync(file) ? fs.readFileSync(file) : undefined;
        if (name === `/live/${state.file}` && state.times > 0) {
            state.times -= 1;
            content = state.how(content);
        }
        const isStalled = state.isStalling && name === `/live/${state.file}`;
        const type = TYPES[path.extname(name)] ?? 'text/plain';
        response.writeHead(content ? 200 : 404, { 'Content-Type': type, 'Cache-Control': 'max-age=600' });
        if (isStalled) {
            response.write(cut(content)); // and no more comes
            return;
        }
        response.end(content);
    });
    return new Promise(ready => server.listen(0, '127.0.0.1', () => ready(server)));
}

const status = page => page.$eval('.cell[data-live] .card-status', element => element.textContent);

/** Presses Run; what the cell says once nothing runs any more. */
async function run(page, button = '.cell[data-live] .card-run') {
    await page.evaluate(() => {
        document.querySelectorAll('.cell .live-out').forEach(out => out.remove());
        document.querySelector('.cell[data-live] .card-status').textContent = '';
    });
    await page.$eval(button, button => button.click());
    await page.waitForFunction(() => {
        const { textContent } = document.querySelector('.cell[data-live] .card-status');
        return textContent && !textContent.endsWith('…') && !document.querySelector('.running');
    }, { timeout: PATIENCE, polling: 100 });
    return status(page);
}

async function edit(page) {
    await page.$eval('.listing button', button => button.click());
    await page.waitForSelector('.cm-content', { timeout: PATIENCE });
    await page.focus('.cm-content');
    await page.keyboard.type('// mine ');
}

const RIGHT = /^Done in .*right/;
const DAMAGED = /did not arrive as the book has it, twice/;
const NOT_THERE = /could not be loaded \(network\?\)\. Press (Run|Edit) to try again\.$/;

/** What is spoilt, how, how often, and what the page says then. */
const SPOILT = [
    ['workbook.wasm.zst', flipped, 1, RIGHT],
    ['workbook.wasm.zst', flipped, 9, DAMAGED],
    ['workbook.wasm.zst', cut, 1, RIGHT],
    ['workbook.wasm.zst', cut, 9, DAMAGED],
    ['workbook.wasm.zst', missing, 1, RIGHT],
    ['workbook.wasm.zst', missing, 9, NOT_THERE],
    ['ch3_blocks.json', flipped, 9, DAMAGED],
    ['vendor/wasi_shim.js', flipped, 9, DAMAGED],
    ['files.json', missing, 1, NOT_THERE],
    ['cells.js', missing, 1, RIGHT],
    ['run.js', missing, 9, NOT_THERE],
    ['run.js', flipped, 1, RIGHT],
    ['run.js', flipped, 9, NOT_THERE],
    ['live.css', missing, 1, RIGHT],
    ['live.css', missing, 9, NOT_THERE],
];

async function spoilt(lent, browser, origin, state) {
    for (const [file, how, times, says] of SPOILT) {
        const context = await browser.createBrowserContext();
        const page = await context.newPage();
        Object.assign(state, { file, how, times: 0 });
        await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
        state.times = times;
        const said = await run(page);
        lent.expect(says.test(said), `${file}, ${how.name}, ${times} times`, said);
        state.times = 0;
        const then = await run(page);
        lent.expect(RIGHT.test(then), `after ${file}, ${how.name}, the next press`, then);
        await context.close();
    }
}

/** A style sheet that only an editor has: the browser remembers that the server lacked it, also after a
    reload. */
async function withoutStyles(lent, browser, origin, state) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
    Object.assign(state, { file: 'editor.css', how: missing, times: 9 });
    await page.$eval('.listing button', button => button.click());
    await page.waitForFunction(() => document.querySelector('.cell[data-live] .card-status').textContent,
        { timeout: PATIENCE });
    lent.expect(NOT_THERE.test(await status(page)), 'Edit without editor.css', await status(page));
    state.times = 0;
    await page.reload({ waitUntil: 'load' });
    await page.$eval('.listing button', button => button.click());
    const isThere = await page.waitForSelector('.cm-content', { timeout: 20_000 })
        .then(() => true, () => false);
    lent.expect(isThere, 'Edit once editor.css is there again', await status(page));
    await context.close();
}

/** A download that does not come on: Run says that it waits, Stop ends it, and the next Run begins it anew.
    */
async function stalls(lent, browser, origin, state) {
    const NEEDED = ['files.json', 'cells.js']; // without these there is no Stop
    for (const file of ['workbook.wasm.zst', 'ch3_blocks.json', 'worker.js', ...NEEDED]) {
        const context = await browser.createBrowserContext();
        const page = await context.newPage();
        await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
        Object.assign(state, { file, times: 0, isStalling: true });
        await page.$eval('.cell[data-live] .card-run', button => button.click());
        const waits = () => /…$/.test(document.querySelector('.cell[data-live] .card-status').textContent);
        const isSaid = await page.waitForFunction(waits, { timeout: 5000 }).then(() => true, () => false);
        lent.expect(isSaid, `while ${file} does not come, Run says`, await status(page));
        if (!NEEDED.includes(file)) {
            await page.waitForSelector('.running', { timeout: PATIENCE });
            await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 1000)));
            await page.$eval('.cell[data-live] .card-run', button => button.click());
            lent.expect((await status(page)) === 'Stopped.', `Stop while ${file} does not come`,
                await status(page));
            state.isStalling = false;
            const then = await run(page).catch(async () => status(page));
            lent.expect(RIGHT.test(then), `once ${file} comes again, the next press`, then);
        }
        state.isStalling = false;
        await context.close();
    }
}

/** Figures play once their player is there; and that is the page's own, not another version's. */
async function plays(lent, browser, origin, state) {
    const OTHER = text => Buffer.from(listed(text, (_, entry) => entry, { version: 'newer' }));
    const WAYS = [['player.js', missing, 1, true], ['player.js', cut, 1, true],
        ['files.json', OTHER, 99, false]];
    for (const [file, how, times, plays] of WAYS) {
        const context = await browser.createBrowserContext();
        const page = await context.newPage();
        await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
        const scroll = (all, which) => all.at(which).scrollIntoView({ behavior: 'instant' });
        const toFigure = which => page.$$eval('figure.film:has(> script)', scroll, which);
        Object.assign(state, { file, how, times });
        await toFigure(0);
        const isThere = await page.waitForSelector('.film-bar', { timeout: plays ? 20_000 : 3000 })
            .then(() => true, () => false);
        lent.expect(isThere === plays, `figures, ${file}, ${how.name}`,
            isThere ? 'they play' : 'they do not play');
        state.times = 0;
        await toFigure(-1);
        const isThereThen = await page.waitForSelector('.film-bar', { timeout: 20_000 })
            .then(() => true, () => false);
        lent.expect(isThereThen, `figures, after ${file}, ${how.name}`, 'they do not play');
        await context.close();
    }
}

const about = root => JSON.parse(fs.readFileSync(path.join(root, 'live/clang/clang.json'), 'utf8'));
/** How many bytes the browser keeps of the compiler. */
const keptBytes = page => page.evaluate(async () => {
    const kept = await caches.open('workbook-compiler');
    const [one] = await kept.keys();
    return one ? (await (await kept.match(one)).arrayBuffer()).byteLength : 0;
});

/** The compiler of a page that keeps a part of it, or one with a flipped byte. */
async function keptInPart(lent, browser, origin, root) {
    const { hash, wasm } = about(root);
    for (const how of ['cut', 'flipped']) {
        const context = await browser.createBrowserContext();
        const page = await context.newPage();
        await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
        await edit(page);
        const first = await run(page, '.workbench .card-run');
        lent.expect(RIGHT.test(first), 'an edit', first);
        await page.waitForFunction(async () => (await (await caches.open('workbook-compiler'))
            .keys()).length > 0, { timeout: PATIENCE, polling: 200 });
        await page.evaluate(async (hash, how) => {
            const kept = await caches.open('workbook-compiler');
            const name = new URL(`live/clang/clang.wasm?${hash}`, location).href;
            const bytes = new Uint8Array(await (await kept.match(name)).arrayBuffer());
            bytes[bytes.length >> 1] ^= 1;
            await kept.put(name, new Response(how === 'cut' ? bytes.subarray(0, 22_900_000) : bytes,
                { headers: { 'Content-Type': 'application/wasm' } }));
        }, hash, how);
        await page.reload({ waitUntil: 'load' });
        const said = await run(page);
        lent.expect(RIGHT.test(said), `a compiler that is kept ${how}`, said);
        await page.waitForFunction(async bytes => {
            const kept = await caches.match([...await (await caches.open('workbook-compiler')).keys()][0]
                ?? '/none');
            return kept && (await kept.arrayBuffer()).byteLength === bytes;
        }, { timeout: PATIENCE, polling: 500 }, wasm.bytes)
            .catch(async () => lent.expect(false, `of one kept ${how} is kept then`, await keptBytes(page)));
        await context.close();
    }
}

async function spoiltCompiler(lent, browser, origin, state) {
    for (const [how, times, says] of [[flipped, 1, RIGHT], [cut, 1, RIGHT], [flipped, 9, DAMAGED]]) {
        const context = await browser.createBrowserContext();
        const page = await context.newPage();
        Object.assign(state, { file: 'clang/clang.wasm.zst', how, times });
        await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
        await edit(page);
        const said = await run(page, '.workbench .card-run');
        lent.expect(says.test(said), `the compiler, ${how.name}, ${times} times`, said);
        state.times = 0;
        const then = await run(page, '.workbench .card-run');
        lent.expect(RIGHT.test(then), `after a compiler, ${how.name}, the next press`, then);
        await context.close();
    }
}

/** The server has a newer version than the open page: it loads none of its scripts. */
async function newer(lent, browser, origin, state) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${origin}/${PAGE}`, { waitUntil: 'load' });
    const first = await run(page);
    lent.expect(RIGHT.test(first), 'a run', first);
    Object.assign(state, { file: 'files.json',
        how: text => Buffer.from(listed(text, (_, entry) => entry, { version: 'newer' })), times: 99 });
    await page.$eval('.listing button', button => button.click());
    await page.waitForFunction(() =>
        /newer version/.test(document.querySelector('.cell[data-live] .card-status').textContent),
        { timeout: 10_000 })
        .catch(async () => lent.expect(false, 'scripts of two versions', await status(page)));
    state.times = 0;
    await context.close();
}

async function check(lent, browser, root, stories) {
    const state = { times: 0 };
    const server = await serve(root, state);
    const origin = `http://127.0.0.1:${server.address().port}`;
    try {
        for (const story of stories) {
            await story(lent, browser, origin, story === keptInPart ? root : state);
        }
    } finally {
        server.close();
        server.closeAllConnections();
    }
}

async function main(root) {
    const problems = [];
    const expect = (is, what, now) => is || problems.push(`${what}: “${now}”`);
    const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM,
        args: ['--no-sandbox', '--disable-gpu'] });
    try {
        await check({ expect }, browser, root,
            [spoilt, withoutStyles, stalls, plays, spoiltCompiler, keptInPart, newer]);
    } finally {
        await browser.close();
    }
    problems.forEach(problem => console.log(`whole: ${problem}`));
    console.log(problems.length ? `${problems.length} problems` : 'what a page loads is what the book has');
    process.exitCode = problems.length ? 1 : 0;
}

module.exports = { checkKept: (lent, browser, root) => check(lent, browser, root, [keptInPart]) };

if (require.main === module) {
    main(process.argv[2]);
}
