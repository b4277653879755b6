// A whole program on a chapter's page, as a reader uses it: opened, run, changed, run again, sent as a link,
// and reset; `tests/browser/check` says what it needs.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/programs.js book/book

const { select } = require('./edits_in_page.js');
const { drive, expect } = require('./drive.js');
const listed = require('./listed.js');

const PATIENCE = 120_000;
const PAGE = 'ch2_parallel.html';
const CARD = '#program-ch2_parallel';
/** What a reader leaves out. */
const COPY = '    CHECK(cudaMemcpy(data, numbers.data(),';

/** What the card shows. */
const shown = page => page.evaluate(card => {
    const text = selector => document.querySelector(`${card} ${selector}`)?.textContent ?? '';
    return {
        status: text('.notebook-bar .card-status'),
        out: text('.notebook-out'),
        code: text('pre code'),
    };
}, CARD);

async function press(page, name) {
    await page.evaluate((card, name) => {
        [...document.querySelectorAll(`${card} .notebook-bar button`)].find(button =>
            button.textContent === name).click();
    }, CARD, name);
}

/** What Copy link puts on the clipboard. */
const copied = bar => new Promise(copied => {
    navigator.clipboard.writeText = async address => copied(address);
    [...document.querySelectorAll(`${bar} button`)].find(button => button.textContent === 'Copy link')
        .click();
});

/** Runs the program; what the card shows then. */
async function run(page) {
    await press(page, 'Run');
    await page.waitForFunction(card =>
        /^(Done|It)/.test(document.querySelector(`${card} .notebook-bar .card-status`).textContent),
        { timeout: PATIENCE }, CARD);
    return shown(page);
}

async function open(page, address) {
    await page.goto(address, { waitUntil: 'load' });
    await page.evaluate(card => (document.querySelector(card).open = true), CARD);
    await page.waitForSelector(`${CARD} .notebook-bar`, { timeout: PATIENCE });
}

/** What the card shows to a stranger who opens a link to it, once it says something. `prepare` comes before.
    */
async function visited(browser, link, prepare = async () => {}) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await prepare(page);
    await page.goto(link, { waitUntil: 'load' });
    const says = card => {
        const status =
            document.querySelector(`${card} .notebook-bar .card-status, ${card} > .card-status:not(:empty)`);
        return status?.textContent;
    };
    await page.waitForFunction(says, { timeout: 15_000 }, CARD).catch(() => {});
    const cells = await page.$$eval('.cell-bar .card-status',
        all => all.map(({ textContent }) => textContent).join(''));
    const words = { ...(await shown(page)), cells };
    await context.close();
    return words;
}

/** The link of a program is the program's, also where a cell's edit is kept and the cells come first. */
async function belongs(browser, link) {
    const words = await visited(browser, link, async page => {
        await page.goto(link.split('#')[0], { waitUntil: 'load' });
        await page.evaluate(() => {
            const { file } = JSON.parse(document.querySelector('.cell[data-live]').dataset.live);
            const text = JSON.stringify({ text: 'int mine;', printed: '', from: [], time: 1 });
            localStorage.setItem(`workbook-edit ${location.pathname} ${file} @1`, text);
        });
        await page.goto('about:blank');
        await page.setRequestInterception(true);
        page.on('request', request => setTimeout(() => request.continue(),
            request.url().includes('program_card.js') ? 2000 : 0));
    });
    const isRight = words.status.startsWith('The program of a link')
        && !words.code.includes('cudaMemcpy(data') && !words.cells;
    expect('a program’s link that is opened after the cells', isRight, words);
}

/** What stands last in the compiler's script so that no second worker makes calls. */
const ALONE = {
    'no worker in a worker': 'self.Worker = undefined;',
    'a second worker that breaks off': `{
        const work = onmessage;
        onmessage = event => (event.data.wanted?.calls.length
            ? setTimeout(() => { throw new Error('broken off'); }) : work(event));
    }`,
};

/** Without a second worker the compiler makes all calls in the one that there is. */
async function compilesAlone(browser, address) {
    for (const [what, last] of Object.entries(ALONE)) {
        const context = await browser.createBrowserContext();
        const page = await context.newPage();
        await listed.changed(page, 'compile_worker.js', script => script + last);
        await open(page, address);
        const words = await run(page);
        expect(what, words.status.includes('ok: nothing is wrong'), words);
        await context.close();
    }
}

async function check(browser, origin) {
    const page = await browser.newPage();
    await open(page, `${origin}/${PAGE}`);
    const right = await run(page);
    expect('the program as it is printed',
        right.status.includes('ok: nothing is wrong') && right.out.includes("the GPU's sum is"), right);

    // An editor has only the lines that are in view.
    await page.evaluate(card => document.querySelector(`${card} .notebook-bar`)
        .scrollIntoView({ block: 'end', behavior: 'instant' }), CARD);
    await new Promise(done => setTimeout(done, 500));
    if (!(await page.evaluate(select, COPY, true))) {
        expect('a line is not in view', false, COPY);
        return;
    }
    await page.keyboard.press('Backspace');
    const wrong = await run(page);
    expect('a copy that is left out', wrong.out.includes('uninitialized-read'), wrong);

    const link = await page.evaluate(copied, `${CARD} .notebook-bar`);
    const sent = await visited(browser, link);
    const isCode = !sent.code.includes('cudaMemcpy(data') && sent.code.includes('int main');
    expect('the program of a link', sent.status.startsWith('The program of a link') && isCode, sent);
    await belongs(browser, link);
    for (const cut of [1, '&c'.length, '&code'.length]) {
        const words = await visited(browser, link.slice(0, link.indexOf('&') + cut));
        expect('a link that was cut off early', /cannot be read. Was it cut off/.test(words.status), words);
    }

    await press(page, 'Reset');
    const reset = await shown(page);
    expect('after Reset', reset.code.includes('cudaMemcpy(data') && reset.status.includes('Bring back'),
        reset);
    await compilesAlone(browser, `${origin}/${PAGE}`);
}

drive('programs', 'a chapter’s program is run, changed, sent as a link and reset', check);
