// Mends the race of the introduction in Firefox, makes the mistakes of a beginner there, and starts with a
// compiler that is kept in part:
//
//     NODE_PATH=target/browser/node_modules FIREFOX=firefox-esr node tests/browser/firefox.js book/book
//
// `tests/browser/check` says what it needs beside Firefox.

const puppeteer = require('puppeteer-core');
const inPage = require('./edits_in_page.js');
const { openDetails, overflowing } = require('./in_page.js');
const mistakes = require('./mistakes.js');
const serve = require('./serve.js');
const { checkKept } = require('./whole.js');

const PATIENCE = 120_000;
const STORY = 'introduction.html';

const problems = [];

const STILL = '* { transition: none !important }';
async function open(page, origin, name, width) {
    await page.setViewport({ width, height: 893 });
    await page.goto(`${origin}/${name}`, { waitUntil: 'load' });
    await page.addStyleTag({ content: STILL });
    await page.evaluate(openDetails);
}

/** What mistakes.js borrows. What axe finds is the same in Chromium. */
const lent = {
    report: (name, where, message) => problems.push(`${name}: ${where}: ${message}`),
    open,
    openDetails,
    overflowing,
    accessibility: () => {},
};

/** What the cell says, once nothing runs any more. */
async function ran(page) {
    await page.waitForFunction(inPage.idle, { timeout: PATIENCE, polling: 20 });
    const { status } = await page.evaluate(inPage.shown);
    return status;
}

/** From opening the page to a kernel that is right. */
async function mends(page, origin) {
    const started = Date.now();
    await open(page, origin, STORY, 1280);
    await page.evaluate(inPage.edit, 0);
    await page.waitForSelector('.cm-content', { timeout: PATIENCE });
    await page.evaluate(inPage.pressRun);
    const first = await ran(page);
    await page.evaluate(inPage.select, '        }', false);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('__syncthreads();');
    await page.evaluate(inPage.pressRun);
    const mended = await ran(page);
    const seconds = (Date.now() - started) / 1000;
    if (!/data-race/.test(first) || !/the result is right/.test(mended)) {
        problems.push(`${STORY}: the race: “${first}”; mended: “${mended}”`);
    }
    console.log(`in ${await page.browser().version()} the introduction's race is mended after ` +
        `${seconds.toFixed(1)} s`);
}

async function main() {
    const server = await serve(process.argv[2]);
    const origin = `http://127.0.0.1:${server.address().port}`;
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath: process.env.FIREFOX });
    try {
        const page = await browser.newPage();
        page.on('pageerror', error => problems.push(`script error: ${error.message}`));
        await mends(page, origin);
        for (const name of mistakes.PAGES) {
            await mistakes.checkMistakes(lent, page, origin, name);
        }
        console.log(mistakes.summary());
        const expect = (is, what, now) => is || problems.push(`${what}: “${now}”`);
        await checkKept({ expect }, browser, process.argv[2]);
    } finally {
        await browser.close();
        server.close();
    }
    problems.forEach(problem => console.log(`Firefox: ${problem}`));
    process.exitCode = problems.length ? 1 : 0;
}

main();
