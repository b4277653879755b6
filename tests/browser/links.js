// What a link to code brings: it runs when the reader asks for it, and whoever copies a link gets one that
// opens: `tests/browser/check` says what it needs.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/links.js book/book

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { deflateRawSync } = require('node:zlib');
const { drive, expect } = require('./drive.js');

const PATIENCE = 120_000;
const PAGE = 'ch3_blocks.html';

const hash = (id, file, source) =>
    `#${id}&code=${deflateRawSync(JSON.stringify({ file, source })).toString('base64url')}`;
const isRunning = () => Boolean(document.querySelector('.running'));
const isIdle = () => {
    const { textContent } = document.querySelector('#cell-2 .card-status');
    return !document.querySelector('.running') && /link/.test(textContent);
};

/** A link that comes while cells run, by themselves or since the reader has pressed Run all, has none of them
    run its code. */
async function meanwhile(browser, address, { search, start }) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${address}/${PAGE}${search}`, { waitUntil: 'load' });
    await page.evaluate(start);
    await page.waitForFunction(isRunning, { timeout: PATIENCE, polling: 10 });
    await page.evaluate(hash => (location.hash = hash), hash('cell-2', 'kernels/ch3_blocks.cu', 'int x;'));
    await page.waitForFunction(isIdle, { timeout: PATIENCE }).catch(() => {});
    await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 1000))); // the next cell may begin
    const cells = await page.$$eval('.cell[data-live]', cells => cells.map(cell => ({
        status: cell.querySelector('.card-status').textContent,
        isRun: Boolean(cell.querySelector('.live-out, .running')),
    })));
    const isRight = /link.*Run/.test(cells[1].status) && cells.slice(1).every(({ isRun }) => !isRun);
    expect(`the code of a link runs unasked, ${start}`, isRight, cells);
    await context.close();
}

const MEANWHILE = [
    { search: '?cell-1=n.1000000&cell-2=n.100000&cell-3=n.100000', start: '"by the address"' },
    { search: '', start: 'document.querySelector(".run-all button").click()' },
];

const NOTEBOOK = 'appendix_simulate.html';

/** Of more than a link opens none is made. */
async function tooLong(browser, address) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${address}/${NOTEBOOK}`, { waitUntil: 'load' });
    await page.waitForSelector('.notebook-cell', { timeout: PATIENCE });
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'links-')), 'long.cu');
    const line = '    {"a", "b", "c", 1},\n'; // which is longer in a link, where quotes are escaped
    fs.writeFileSync(file, line.repeat(900_000 / line.length));
    await (await page.$('#notebook input[type=file]')).uploadFile(file);
    const status = () => page.$eval('.notebook-all .card-status', status => status.textContent);
    const isHere = is =>
        /is here/.test(document.querySelector('.notebook-all .card-status').textContent) === is;
    await page.waitForFunction(isHere, { timeout: PATIENCE }, true);
    await page.$$eval('.notebook-all button',
        all => all.find(({ textContent }) => textContent === 'Copy link').click());
    await page.waitForFunction(isHere, { timeout: PATIENCE }, false);
    const says = await status();
    expect('a link is copied that no page opens', says.startsWith('There is no link: '), says);
    await context.close();
}

drive('links', 'a link runs nothing, and one that is copied opens', async (browser, origin) => {
    for (const how of MEANWHILE) {
        await meanwhile(browser, origin, how);
    }
    await tooLong(browser, origin);
});
