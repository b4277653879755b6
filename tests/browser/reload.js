// What cards show after a reload, and after Back: what the last run or check has said, and whether an
// exercise checks while one types; `tests/browser/check` says what it needs. That closed exercises say what
// is done, and that the Tab key comes to the text first.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/reload.js book/book

const { drive, expect } = require('./drive.js');

const PATIENCE = 120_000;
const EXERCISE = '#exercise-2-1';
const PROGRAM = '.program-card[data-file]';
/** Who has imported this has done exercise 2.1. */
const DONE = JSON.stringify({ exercises: { 2.1: { passed: true, hints: 0, gave_up: false } } });

/** Each kind of card: `open` comes before its `run`; `out` is what a run leaves there, and `state` what else
    is to stay. */
const CARDS = [
    { kind: 'exercise', page: 'ch2_parallel.html', at: EXERCISE, isFolded: true, out: '.exercise-out',
        state: '.exercise-bar input[type="checkbox"]' },
    { kind: 'cell', page: 'ch2_parallel.html', at: '.cell[data-live]', out: '.live-out' },
    { kind: 'cell of an edited listing', page: 'introduction.html', at: '.cell[data-live]',
        edit: '.listing > button', out: '.live-out' },
    { kind: 'notebook', page: 'appendix_simulate.html', at: '.notebook-cell', out: '.notebook-out' },
    { kind: 'program', page: 'ch2_parallel.html', at: PROGRAM, isFolded: true, out: '.notebook-out' },
];

/** What the card shows. */
const shown = (page, { at, out, state }) => page.evaluate((at, out, state) => {
    const card = document.querySelector(at);
    return {
        status: card.querySelector('.card-status').textContent,
        out: card.querySelector(out)?.textContent,
        isOld: Boolean(card.querySelector(`${out}.old`)),
        steps: card.querySelectorAll(`${out} figure`).length,
        state: state && card.querySelector(state).checked,
    };
}, at, out, state);

async function open(page, { at, isFolded }) {
    if (isFolded) {
        await page.$eval(at, card => (card.open = true));
    }
    await page.waitForSelector(`${at} .card-run`, { timeout: PATIENCE });
}

const hasOut = (page, { at, out }) =>
    page.waitForFunction((at, out) => document.querySelector(at)?.querySelector(out)?.childElementCount,
        { timeout: PATIENCE }, at, out);

/** Adds a line to the listing that the cell runs. */
async function edit(page, { edit }) {
    await page.$eval(edit, button => button.click());
    await page.waitForSelector('.cm-content', { timeout: PATIENCE });
    await page.focus('.cm-content');
    await page.keyboard.type('// Mine.\n');
}

async function run(page, card) {
    await page.$eval(`${card.at} .card-run`, button => button.click());
    await page.waitForFunction(() => document.querySelector('.running'), { timeout: PATIENCE, polling: 20 });
    await page.waitForFunction(() => !document.querySelector('.running'), { timeout: PATIENCE, polling: 50 });
}

async function staysOverAReload(browser, origin, card) {
    const page = await (await browser.createBrowserContext()).newPage();
    await page.goto(`${origin}/${card.page}`, { waitUntil: 'load' });
    await open(page, card);
    if (card.state) {
        await page.click(`${card.at} ${card.state}`);
    }
    if (card.edit) {
        await edit(page, card);
    }
    await run(page, card);
    const before = await shown(page, card);
    expect(`${card.kind}: a run shows nothing`, before.out && before.status !== undefined, before);
    const same = async what => {
        await hasOut(page, card).catch(() => {});
        const after = await shown(page, card);
        expect(`${card.kind}: ${what} changes what the card shows`,
            JSON.stringify(after) === JSON.stringify(before), { before, after });
    };
    await page.reload({ waitUntil: 'load' });
    await same('a reload');
    await page.goto(`${origin}/glossary.html`, { waitUntil: 'load' });
    await page.goBack({ waitUntil: 'load' });
    await same('Back');
    await page.browserContext().close();
}

async function saysWhatIsDone(browser, origin) {
    const page = await browser.newPage();
    await page.goto(`${origin}/ch2_parallel.html`, { waitUntil: 'load' });
    const summary = () => page.$eval(`${EXERCISE} > summary`, summary => summary.textContent);
    expect('an exercise is done before anybody has done it', !(await summary()).includes('done'),
        await summary());
    const other = await browser.newPage();
    await other.goto(`${origin}/exercises.html`, { waitUntil: 'load' });
    const input = await other.waitForSelector('.exercise-bar input[type="file"]', { timeout: PATIENCE });
    const importOf = text => input.evaluate((input, text) => {
        const files = new DataTransfer();
        files.items.add(new File([text], '.exercises.json'));
        input.files = files.files;
        input.dispatchEvent(new Event('change'));
    }, text);
    await importOf(DONE);
    const isDone = () => page.waitForFunction(at =>
        document.querySelector(`${at} > summary`).textContent.endsWith('· done'),
        { timeout: PATIENCE, polling: 50 }, EXERCISE);
    await isDone().catch(async () => expect('a closed card does not say what another tab has imported', false,
        await summary()));
    await page.reload({ waitUntil: 'load' });
    await isDone().catch(async () => expect('a closed card does not say that it is done', false,
        await summary()));
    expect('the card is open', !(await page.$eval(EXERCISE, card => card.open)), await summary());
    await other.close();
    await page.close();
}

async function check(browser, origin) {
    const page = await browser.newPage();
    await page.goto(`${origin}/ch2_parallel.html`, { waitUntil: 'load' });
    await page.keyboard.press('Tab');
    const first = await page.evaluate(() => ({ text: document.activeElement.textContent,
        goes: document.activeElement.getAttribute('href') }));
    expect('Tab does not come to the text first',
        first.text === 'Skip to the text' && first.goes.startsWith('#'), first);
    await page.close();
    for (const card of CARDS) {
        await staysOverAReload(browser, origin, card);
    }
    await saysWhatIsDone(browser, origin);
}

drive('reload', 'every card shows after a reload what it showed before', check);
