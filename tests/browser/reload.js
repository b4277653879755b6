// What an exercise shows after a reload: what the last check has said, and whether it checks while one types; `tests/browser/check`
// says what it needs. And that the Tab key comes to the text first.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/reload.js book/book

const { drive, expect } = require('./drive.js');

const PATIENCE = 120_000;
const CARD = '#exercise-2-1';

/** What the card shows. */
const shown = page => page.evaluate(card => ({
    verdict: document.querySelector(`${card} .exercise-verdict`).textContent,
    found: document.querySelector(`${card} .exercise-out`).textContent,
    isTyping: document.querySelector(`${card} .exercise-bar input[type="checkbox"]`).checked,
}), CARD);

async function open(page) {
    await page.evaluate(card => (document.querySelector(card).open = true), CARD);
    await page.waitForSelector(`${CARD} .exercise-bar`, { timeout: PATIENCE });
}

async function check(browser, origin) {
    const page = await browser.newPage();
    await page.goto(`${origin}/ch2_parallel.html`, { waitUntil: 'load' });
    await page.keyboard.press('Tab');
    const first = await page.evaluate(() => ({ text: document.activeElement.textContent, goes: document.activeElement.getAttribute('href') }));
    expect('Tab does not come to the text first', first.text === 'Skip to the text' && first.goes.startsWith('#'), first);

    await open(page);
    await page.click(`${CARD} .exercise-bar input[type="checkbox"]`);
    await page.click(`${CARD} .exercise-bar .card-run`);
    await page.waitForFunction(card => document.querySelector(`${card} .exercise-verdict`).textContent, { timeout: PATIENCE }, CARD);
    const before = await shown(page);
    expect('the task as it is given passes', before.verdict.includes('not yet'), before);
    await page.reload({ waitUntil: 'load' });
    await open(page);
    const after = await shown(page);
    expect('a reload changes what the card shows', JSON.stringify(after) === JSON.stringify(before), { before, after });
    expect('it forgets that it checks while one types', after.isTyping, after);
}

drive('reload', 'an exercise shows after a reload what it showed before', check);
