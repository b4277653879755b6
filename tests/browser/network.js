// A network that fails: of each kind of card no file comes until the card says that it is missing, and how it
// is tried again; that is pressed, and the next file is missing, until what the reader wanted is done. Of
// what the page has before, the page says that it is missing. `tests/browser/check` says what it needs.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/network.js book/book

const { drive, expect } = require('./drive.js');

const PATIENCE = 60_000;
const COMPILER = 'clang/clang.wasm.zst';

/** Each kind of card: where it is; what the reader does, one step after the other, each until what is `done`
    is there (and `says` this); and some of what it `loads`. */
const CARDS = [
    {
        kind: 'figure',
        page: 'ch4_nested.html',
        at: 'main',
        loads: ['player.js', 'film_own.js', 'film_axis.js', 'worker.js'],
        steps: [
            { scroll: '[data-film="own"]', done: '[data-film="own"] .film-bar[aria-label="Your own run"]' },
            { slide: '[data-film="own"] .film-bar[aria-label="Your own run"] input',
                done: '[data-film="own"] .film-status', says: 'Your own run, in this page.' },
        ],
    },
    {
        kind: 'listing',
        page: 'ch3_blocks.html',
        at: '.cell[data-live]',
        loads: ['cells.js', 'run.js', 'card.css', 'editor.css', 'headers.json', 'workbook.wasm.zst',
            COMPILER],
        steps: [
            { press: '.listing > button', done: '.workbench .cm-content', type: '// mine ' },
            { press: '.workbench .card-run', done: '.cell[data-live] .live-out' },
        ],
    },
    {
        kind: 'exercise',
        page: 'ch2_parallel.html',
        at: '#exercise-2-1',
        loads: ['exercise.js', 'exercise.css', 'exercises.json', 'workbook.wasm.zst'],
        steps: [
            { open: '#exercise-2-1', done: '#exercise-2-1 .exercise-bar' },
            { press: '#exercise-2-1 .exercise-bar button:nth-of-type(2)', done: '#exercise-2-1 .cm-content' },
            { press: '#exercise-2-1 .card-run', done: '#exercise-2-1 .exercise-verdict:not(:empty)' },
        ],
    },
    {
        kind: 'notebook',
        page: 'appendix_simulate.html',
        at: '#notebook',
        loads: ['notebook.js', 'notebook.css', 'own_run.js', 'workbook.wasm.zst'],
        steps: [
            { done: '.notebook-cell' },
            { press: '.notebook-cell .card-run', done: '.notebook-cell .notebook-out > *' },
        ],
    },
    {
        kind: 'program',
        page: 'ch2_parallel.html',
        at: '.program-card[data-file]',
        loads: ['program_card.js', 'card.css', 'host_headers.json', 'workbook.wasm.zst'],
        steps: [
            { open: '.program-card[data-file]', done: '.program-card .notebook-bar' },
            { press: '.program-card .card-run', done: '.program-card .notebook-out > *' },
        ],
    },
    { kind: 'list of exercises', page: 'exercises.html', at: 'main',
        loads: ['exercise_list.js', 'exercise.css'], steps: [{ done: '.exercise-bar' }] },
];

/** In the page: does a step, and what the card offers where one has failed; nothing is said any more. */
function act({ scroll, slide, open, press }, at) {
    document.querySelectorAll('.card-status:not(.not-loaded), .film-status')
        .forEach(status => (status.textContent = ''));
    for (const again of document.querySelector(at).querySelectorAll('.not-loaded button')) {
        again.click();
        again.parentElement.firstChild.remove();
    }
    if (open) {
        document.querySelector(open).open = true;
    } else if (scroll) {
        document.querySelector(scroll).scrollIntoView({ behavior: 'instant' });
    } else if (slide) {
        const input = document.querySelector(slide);
        input.value = input.value === input.max ? input.min : input.max;
        input.dispatchEvent(new Event('input'));
        input.dispatchEvent(new Event('change'));
    } else if (press) {
        document.querySelector(press).click();
    }
}

/** In the page: whether a step is done, or why it is not; nothing, while it is under way. */
function outcome({ done, says = '' }, at) {
    if (document.querySelector(done)?.textContent.startsWith(says)) {
        return { isDone: true };
    }
    const all = [...document.querySelector(at)
        .querySelectorAll('.card-status, .film-status')].filter(({ firstChild }) => firstChild);
    const said = all.map(({ firstChild }) => firstChild.data?.trim());
    const isUnderWay = document.querySelector('.running') || said.some(text => !text || text.endsWith('…'));
    return said.length > 0 && !isUnderWay ? { said: said[0] } : undefined;
}

/** Does a step as far as it goes: why it does not go on, if it does not. */
async function take(page, step, at) {
    await page.evaluate(act, step, at);
    const come = page.waitForFunction(outcome, { timeout: PATIENCE, polling: 20 }, step, at);
    const { said } = await come.then(found => found.jsonValue(), () => ({ said: 'nothing' }));
    return said;
}

/** A page in a browser of its own, for which no file of live/ comes but what is in `comes`; what it asks for
    in vain is in `lost`. */
async function open(browser, address, { comes, lost }) {
    const page = await (await browser.createBrowserContext()).newPage();
    await page.setRequestInterception(true);
    page.on('request', request => {
        const [, file] = new URL(request.url()).pathname.split('/live/');
        if (!file || comes.has(file)) {
            return request.continue();
        }
        lost.add(file);
        return request.abort('failed');
    });
    await page.goto(address, { waitUntil: 'load' });
    return page;
}

/** What a sentence says: the file that is missing, and what to do. */
const WHAT = String.raw`^The (?:file live/(\S+)|compiler) could not be loaded \(network\?\)\.`;
const SAYS = new RegExp(`${WHAT}(?: (Press [A-Z]\\w+|Move a slider) to try again\\.)?$`);

/** Takes a step until it is done: what is said to be missing comes then. */
async function through(page, { kind, at }, step, { comes, lost }) {
    for (let said = await take(page, step, at); said; said = await take(page, step, at)) {
        const [isRight, file = COMPILER, press] = said.match(SAYS) ?? [];
        const hasButton = Boolean(await page.$(`${at} .not-loaded button`));
        if (!isRight || comes.has(file) || Boolean(press) === hasButton) {
            expect(`${kind}, ${JSON.stringify(step)}`, false, { said, hasButton });
            return false;
        }
        comes.add(file);
        lost.delete(file);
    }
    return true;
}

async function story(browser, origin, card) {
    const state = { comes: new Set(), lost: new Set() };
    const page = await open(browser, `${origin}/${card.page}`, state);
    for (const step of card.steps) {
        if (!(await through(page, card, step, state))) {
            return;
        }
        if (step.type) {
            await page.focus(step.done);
            await page.keyboard.type(step.type);
        }
    }
    expect(`${card.kind}: what is not there and not said`, state.lost.size === 0, [...state.lost]);
    expect(`${card.kind}: what it has loaded`, card.loads.every(file => state.comes.has(file)),
        [...state.comes]);
    await page.browserContext().close();
}

/** What the page itself has: nothing is pressed for it, and so the page is to be loaded again. */
async function withoutItsOwn(browser, origin) {
    for (const file of ['workbook', 'exercises', 'cells']) {
        const page = await (await browser.createBrowserContext()).newPage();
        await page.setRequestInterception(true);
        page.on('request', request => (request.url().includes(`/theme/${file}-`) ? request.abort('failed')
            : request.continue()));
        await page.goto(`${origin}/ch3_blocks.html`, { waitUntil: 'load' });
        const said = await page.$$eval('main > .page-not-loaded',
            all => all.map(({ textContent }) => textContent).join());
        const isSaid = new RegExp(`^The file ${file}-\\w+\\.(js|css) could not be loaded ` +
            `\\(network\\?\\)\\. Load the page again\\.$`);
        expect(`the page without ${file}`, isSaid.test(said), said);
        await page.browserContext().close();
    }
}

async function check(browser, origin) {
    await withoutItsOwn(browser, origin);
    for (const card of CARDS) {
        await story(browser, origin, card);
    }
}

drive('network', 'what does not come is named, and comes at the next press', check);
