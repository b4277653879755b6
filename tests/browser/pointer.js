// A button that is pressed with a mouse after something was typed gets its click, in every kind of card:
// `tests/browser/check` says what it needs.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/pointer.js book/book
//
// Nothing moves under a pressed pointer: what leaves the field makes commands longer, and shows and hides
// buttons.

const puppeteer = require('puppeteer-core');
const serve = require('./serve.js');

const PATIENCE = 120_000;
/** Milliseconds for which a hand holds the button down: longer than what follows a field needs. */
const HELD = 400;
/** Pixels. On a busy machine 0.6 and 0.8 were seen; we suspect scroll anchoring, which puts whole pixels back
    where something above comes late. */
const ANCHORED = 1;

const problems = [];

/** Where the middle of an element is, in the window. */
async function middle(page, selector) {
    const { x, y, width, height } = await (await page.waitForSelector(selector,
        { visible: true, timeout: PATIENCE })).boundingBox();
    return { x: x + width / 2, y: y + height / 2 };
}

/** Where the middle of an element is once the page has come to rest: what is loaded late moves it, too. */
async function atRest(page, selector) {
    let before;
    let now = await middle(page, selector);
    do {
        before = now;
        await new Promise(resolve => setTimeout(resolve, HELD));
        now = await middle(page, selector);
    } while (now.x !== before.x || now.y !== before.y);
    return now;
}

/** Presses with the mouse, as a hand does; by how much the element moved meanwhile. */
async function press(page, selector) {
    const before = await atRest(page, selector);
    await page.mouse.move(before.x, before.y);
    await page.mouse.down();
    await new Promise(resolve => setTimeout(resolve, HELD));
    const held = await middle(page, selector);
    await page.mouse.up();
    return Math.hypot(held.x - before.x, held.y - before.y);
}

/** What a reader types where, which button is pressed then, and where it shows that it was. */
const CARDS = [
    { kind: 'cell', page: 'introduction.html', at: '.cell[data-live]', field: 'input[name="n"]', text: '1024',
        button: '.card-run' },
    { kind: 'cell, back', page: 'introduction.html', at: '.cell[data-live]', field: 'input[name="n"]',
        text: '64', button: '.card-run' },
    { kind: 'listing', page: 'ch2_parallel.html', at: '.workbench', open: '.listing button',
        field: '.cm-content', text: '// mine', button: '.card-run' },
    { kind: 'exercise', page: 'ch2_parallel.html', at: '#exercise-2-1',
        open: '.exercise-bar button:nth-of-type(2)', field: '.cm-content', text: '// mine',
        button: '.card-run' },
    { kind: 'program', page: 'ch2_parallel.html', at: '#program-ch2_parallel',
        open: '.notebook-bar button:nth-of-type(2)', field: '.cm-content', text: '// mine',
        button: '.card-run' },
    { kind: 'notebook', page: 'appendix_simulate.html', at: '.notebook-cell', open: '.notebook-edit',
        field: '.cm-content', text: '// mine', button: '.card-run' },
];

async function check(page, origin, { kind, page: name, at, open, field, text, button }, width, isTouch) {
    await page.setViewport({ width, height: 893, hasTouch: isTouch });
    await page.goto(`${origin}/${name}`, { waitUntil: 'load' });
    await page.evaluate(() => localStorage.clear());
    await page.reload({ waitUntil: 'load' });
    await page.evaluate(at => document.querySelector(at)?.closest('details')?.setAttribute('open', ''), at);
    if (open) {
        const opener = at === '.workbench' ? open : `${at} ${open}`;
        await page.waitForSelector(opener, { timeout: PATIENCE });
        await page.$eval(opener, button => button.click());
    }
    await page.waitForSelector(`${at} ${field}`, { timeout: PATIENCE });
    await page.focus(`${at} ${field}`);
    await page.$eval(`${at} ${field}`, field => field.select?.());
    await page.keyboard.type(text);
    // The code of a program is higher than the window. The editor shows its cursor first.
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.$eval(`${at} ${button}`, element =>
        element.scrollIntoView({ block: 'center', behavior: 'instant' }));
    await page.evaluate(at => {
        window.clicks = 0;
        document.querySelector(at).querySelector('.card-run')
            .addEventListener('click', () => (window.clicks += 1));
    }, at);
    let moved = 0;
    if (isTouch) {
        const { x, y } = await middle(page, `${at} ${button}`);
        await page.touchscreen.tap(x, y);
    } else {
        moved = await press(page, `${at} ${button}`);
    }
    const ran = await page.waitForFunction(() => window.clicks > 0, { timeout: 2000 })
        .then(() => true, () => false);
    if (moved >= ANCHORED || !ran) {
        problems.push(`${kind} at ${width} px${isTouch ? ', touched' : ''}: the button moves by ` +
            `${moved.toFixed(1)} px, ${ran ? 'and is clicked' : 'and gets no click'}`);
    }
}

async function main(root) {
    const server = await serve(root);
    const origin = `http://127.0.0.1:${server.address().port}`;
    const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM,
        args: ['--no-sandbox', '--disable-gpu'] });
    try {
        const page = await browser.newPage();
        page.on('pageerror', error => problems.push(`script error: ${error.stack}`));
        for (const card of CARDS) {
            for (const width of [1280, 390]) {
                await check(page, origin, card, width, false)
                    .catch(error => problems.push(`${card.kind} at ${width} px: ${error.stack}`));
            }
            await check(page, origin, card, 390, true)
                .catch(error => problems.push(`${card.kind}, touched: ${error.stack}`));
        }
    } finally {
        await browser.close();
        server.close();
        server.closeAllConnections();
    }
    problems.forEach(problem => console.log(`pointer: ${problem}`));
    console.log(problems.length ? `${problems.length} problems`
        : 'a button that is pressed after typing is clicked, in all cards');
    process.exitCode = problems.length ? 1 : 0;
}

main(process.argv[2]);
