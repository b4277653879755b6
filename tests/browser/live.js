// Drives the cells of a page that run there: run all, change, what-if, stop, reset, share; from a file, and
// without the network. `check` is what check.js lends: open, report, accessibility, and functions for the
// page.

const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const cellsInPage = require('./live_in_page.js');
const listed = require('./listed.js');
const notebook = require('./notebook.js');

/** What a run needs, and nobody fetches before. A figure near the top has its player there too, and the small
 * modules of its films. None of them fetches the program before a run. */
const SMALL = 'html|fetched|whole|card|simulator|compiler|store|said|offline|steps';
const FETCHED = new RegExp(`/live/(?!files\\.json|player|film_|exercise|(?:${SMALL})\\.js)`);
/** What a run changes in a page. */
const CHANGED = '.cell, pre:has(.line-mark)';
const PATIENCE = 60_000;

/** The page on which a run is to find no memory. */
const OUT_OF_MEMORY = 'ch3_blocks.html';

/** Seconds from the first press of Run on a page to its result, of all pages. */
const firstResults = [];

const idle = page => page.waitForFunction(cellsInPage.idle, { timeout: PATIENCE, polling: 20 });

/** Puts `settings` into the controls of a cell, as a reader would, and runs it. Returns what it then shows.
    */
async function run(page, id, settings = {}) {
    await page.evaluate(cellsInPage.set, id, settings);
    await page.evaluate(cellsInPage.press, id, '.card-run');
    await idle(page);
    return page.evaluate(cellsInPage.shown, id);
}

/** A result, or what stands in its place. */
function expectResult(say, shown, what) {
    if (!shown.result) {
        say(`${what}: no result, but “${shown.status}”`);
    }
}

/** 1048576 as a command has it. */
const shorter = n => (Number.isInteger(Math.log2(n)) ? `2^${Math.log2(n)}` : n);

/** A result as files: a table of the kernels, the record, and a chart if the cell has one. */
async function downloads(page, say, { id, hasChart }) {
    const files = await page.evaluate(cellsInPage.files, id);
    const names = new Map(files.map(({ name, text }) =>
        [name.replace(`${page.current.replace('.html', '')}-${id}.`, ''), text]));
    if ([...names.keys()].join() !== (hasChart ? 'csv,json,svg' : 'csv,json')) {
        say(`${id}: the files of its result are ${files.map(({ name }) => name)}`);
        return;
    }
    const kernels = JSON.parse(names.get('json')).runs.map(run => run.kernel);
    const rows = names.get('csv').trimEnd().split('\n').map(row => row.split(',')[0]);
    if (rows.toSorted().join() !== ['kernel', ...kernels].toSorted().join()) {
        say(`${id}: the table as CSV has the rows ${rows}, not ${kernels}`);
    }
    if (hasChart && !/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg".*<\/svg>$/s.test(names.get('svg'))) {
        say(`${id}: the chart as SVG is ${names.get('svg').slice(0, 80)} …`);
    }
}

async function recordedRuns(page, say, cells) {
    const started = Date.now();
    await page.evaluate(cellsInPage.press, cells[0].id, '.card-run');
    await page.waitForSelector(`#${cells[0].id} .live-out`, { timeout: PATIENCE }).catch(() => {});
    firstResults.push((Date.now() - started) / 1000);
    await idle(page);
    if (cells.length > 1) {
        await page.click('.run-all button');
        await idle(page);
    }
    for (const { id, isComparable, command, given, n, label } of cells) {
        const shown = await page.evaluate(cellsInPage.shown, id);
        expectResult(say, shown, `${id}, run as recorded`);
        if (shown.charts > 1) {
            say(`${id}: the chart that the page draws is not the recorded one`);
        }
        if (isComparable && shown.result && !shown.same) {
            say(`${id}: the run in the page is not identical to the recorded one: ` +
                `${shown.result.slice(0, 300)}`);
        }
        if (shown.same
            && !/ elements.*, seed 1: identical to the recorded run of the same/.test(shown.result)) {
            say(`${id}: does not name the input of both: ${shown.result.slice(0, 200)}`);
        }
        if (!isComparable && !shown.columns[1].startsWith(shown.columns[0])) {
            say(`${id}: ${shown.columns[0]} do not come first in ${shown.columns[1]}`);
        }
        const isNamed = [n, shorter(n)].includes(given.replaceAll('_', ''));
        if (given && label === 'n' ? !isNamed : isNamed) {
            say(`${id}: n is ${given} in the command and ${n} in the control, “${label}”`);
        }
        if (/--device sim$/.test(command) && shown.command !== command) {
            say(`${id}: the command changes though nothing is touched: ${shown.command}`);
        }
    }
}

async function changes(page, say, { id, sizes, blocks, whatIfs, hasChart, isComparable }) {
    if (isComparable && (await run(page, id, { seed: '2' })).same) {
        say(`${id}: with another seed it is called identical`);
    }
    const n = sizes.find(size => size !== sizes.at(-1)) ?? sizes[0];
    const block = blocks.includes('64') ? { block: '64' } : {};
    const changed = await run(page, id, { n, ...block, seed: '2' });
    expectResult(say, changed, `${id} with n = ${n}`);
    if (changed.isOld) {
        say(`${id}: a new result is dimmed`);
    }
    await page.evaluate(cellsInPage.set, id, { seed: '3' });
    await page.waitForSelector(`#${id} .live-out.old`, { timeout: 5000 })
        .catch(() => say(`${id}: a result of other controls is not dimmed`));
    await page.evaluate(cellsInPage.set, id, { seed: '2' });
    await page.waitForSelector(`#${id} .live-out:not(.old)`, { timeout: 5000 })
        .catch(() => say(`${id}: a result of these controls is dimmed`));
    if (hasChart && changed.charts !== 1) {
        say(`${id}: ${changed.charts} charts are in view after a change`);
    }
    if (!changed.address.includes(`${id}=`)) {
        say(`${id}: the address does not keep n = ${n}: ${changed.address}`);
    }
    for (const whatIf of whatIfs) {
        const shown = await run(page, id, { 'what-if': whatIf });
        expectResult(say, shown, `${id}, what if ${whatIf}`);
        if (!shown.edited) {
            say(`${id}: what if ${whatIf}: no changed line is shown`);
        }
        if (shown.found && !shown.see) {
            say(`${id}: what if ${whatIf}: no link leads from the message to the listing`);
        }
        if (shown.brokenLinks.length) {
            say(`${id}: what if ${whatIf}: links that lead nowhere: ${shown.brokenLinks}`);
        }
    }
}

async function shares(check, page, say, name, { id }) {
    const before = await page.evaluate(cellsInPage.shown, id);
    const other = await check.another(page);
    other.current = name;
    await other.goto(before.address, { waitUntil: 'load' });
    await other.waitForSelector(`#${id} .live-out`, { timeout: PATIENCE }).catch(() => {});
    await idle(other).catch(() => {}); // a chart may still be on its way
    const after = await other.evaluate(cellsInPage.shown, id);
    for (const part of ['result', 'command', 'found']) {
        if (before[part] !== after[part]) {
            say(`${id}: a shared address does not show the same ${part}: ${before[part].slice(0, 200)} / ` +
                `${after[part].slice(0, 200)}`);
        }
    }
    await other.close();
}

async function stops(page, say, { id, sizes }) {
    await page.evaluate(cellsInPage.set, id, { n: sizes.at(-1) });
    const status = await page.evaluate(cellsInPage.stopAtOnce, id);
    if (!/^(Stopped|Done)/.test(status)) {
        say(`${id}: after Stop it says “${status}”`);
    }
    const small = await run(page, id, { n: sizes[0] });
    expectResult(say, small, `${id} after Stop`);
    // From chapter 6 on, and in 4.3, macros make kernels, whose parameters have no names.
    const strange = /^ch[2-5](?!_ragged)/.test(page.current) ? /read +argument \d|\/\/ ANCHOR/
        : /\/\/ ANCHOR/;
    if (strange.test(small.steps)) {
        say(`${id}: its steps have “${small.steps.match(strange)[0]}”`);
    }
}

/** Where the browser has no more memory to give, a sentence says so, and a smaller run goes on. */
async function runsOutOfMemory(check, page, say, name, { id, sizes }) {
    const other = await check.another(page);
    other.current = name;
    // All of the address space is taken but for 20 MB; by a second worker too, if the browser has so much.
    const taken = 'const { memory } = instance.exports; try { memory.grow(65536 - ' +
        'memory.buffer.byteLength / 65536 - 320); } catch {}\n';
    await listed.changed(other, 'program.js',
        script => script.replace(/instance = new WebAssembly.*\n/, line => line + taken));
    await other.goto(page.url().split('?')[0], { waitUntil: 'load' });
    // The first run fetches what it needs before it says anything.
    await run(other, id, { n: sizes[0] });
    await other.waitForSelector(`#${id} .live-out`, { timeout: PATIENCE }).catch(() => {});
    await idle(other).catch(() => {}); // a chart may still be on its way
    const { status } = await run(other, id, { n: sizes.at(-1) });
    if (!/needs more memory than the browser gives a page/.test(status)) {
        say(`${id} without memory: “${status}”`);
    }
    expectResult(say, await run(other, id, { n: sizes[0] }), `${id} after it ran out of memory`);
    await other.close();
}

async function resets(page, say, { id, command, text }) {
    await page.evaluate(cellsInPage.press, id, '.cell-reset');
    const shown = await page.evaluate(cellsInPage.shown, id);
    if (shown.result || shown.found || shown.edited || shown.address.includes(`${id}=`)
        || shown.command !== command) {
        say(`${id}: Reset leaves something: ${JSON.stringify(shown).slice(0, 300)}`);
    }
    if ((await page.evaluate(cellsInPage.text, id)) !== text) {
        say(`${id}: after Reset the recorded output reads otherwise`);
    }
}

/** Everything that is asked of the live cells of one page. */
async function checkLive(check, page, origin, name) {
    const say = message => check.report(name, 'live cells', message);
    // A page fetches when a cell is reached for, also by a pointer that rests where the cell appears. What
    // the same page has begun to fetch before must not end here.
    await page.mouse.move(0, 0);
    await page.goto('about:blank');
    const early = [];
    const watch = request => FETCHED.test(request.url()) && early.push(request.url());
    page.on('request', watch);
    // As a reader finds it: an exercise that is opened fetches its card.
    await check.load(page, origin, name, 1280);
    await page.evaluate(() => new Promise(requestIdleCallback));
    page.off('request', watch);
    await page.evaluate(check.openDetails);
    const cells = await page.evaluate(cellsInPage.cells);
    if (early.length && name !== notebook.PAGE) {
        say(`fetched before the first run: ${early}`);
    }
    if (cells.length === 0) {
        return 0;
    }
    const listings = await page.evaluate(cellsInPage.listings);
    await recordedRuns(page, say, cells);
    for (const cell of cells) {
        await changes(page, say, cell);
        await downloads(page, say, cell);
    }
    // Further messages are folded, and scroll once they are shown.
    await page.evaluate(check.openDetails);
    await check.accessibility(page, 'live cells, with results', CHANGED);
    for (const item of await page.evaluate(check.scrollers)) {
        say(item);
    }
    await page.setViewport({ width: 390, height: 893 });
    for (const item of await page.evaluate(check.overflowing)) {
        say(`at 390 px the page scrolls sideways because of ${item}`);
    }
    await page.setViewport({ width: 1280, height: 893 });
    await shares(check, page, say, name, cells.at(-1));
    if (name === OUT_OF_MEMORY) {
        await runsOutOfMemory(check, page, say, name, cells[0]);
    }
    await page.setOfflineMode(true);
    for (const cell of cells) {
        await stops(page, say, cell);
    }
    await page.setOfflineMode(false);
    for (const cell of cells) {
        await resets(page, say, cell);
    }
    if ((await page.evaluate(cellsInPage.listings)) !== listings) {
        say('after Reset the listings are not as they were');
    }
    await page.focus(`#${cells[0].id} .card-run`);
    await page.keyboard.down('Shift');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Shift');
    await idle(page);
    expectResult(say, await page.evaluate(cellsInPage.shown, cells[0].id), `${cells[0].id} by Shift+Enter`);
    return cells.length;
}

/** The first page with live cells, opened as a file, says why nothing runs there. */
async function checkFile(check, root, names) {
    const name = names.find(name => name !== 'print.html' && fs.readFileSync(path.join(root, name), 'utf8')
        .includes(' data-live='));
    if (!name) {
        return;
    }
    const page = await check.plain();
    page.current = name;
    await page.goto(pathToFileURL(path.join(root, name)).href, { waitUntil: 'load' });
    const hint = await page.$eval('.run-all', line => line.textContent).catch(() => '');
    if (!hint.includes('mdbook serve')) {
        check.report(name, 'opened as a file', `does not say why nothing runs: “${hint}”`);
    }
    await page.close();
}

/** How many cells ran, and how soon the first result of a page was there: a goal of 0.5 s, on an idle
    machine. */
function summary(cells) {
    const sorted = firstResults.toSorted((a, b) => a - b);
    const seconds = place => `${sorted.at(place)?.toFixed(2)} s`;
    return cells ? `${cells} cells run in their pages; first result after ${seconds(0)} to ${seconds(-1)}`
        : 'no cell runs in its page';
}

/** Whether the book has anything to run. */
const isBuilt = root => fs.existsSync(path.join(root, 'live', 'workbook.wasm.zst'));

module.exports = { checkFile, checkLive, isBuilt, summary };
