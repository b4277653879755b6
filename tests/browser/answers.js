// What the reader has written stays theirs, in Chromium: `tests/browser/check` says what it needs.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/answers.js book/book
//
// Two tabs at one exercise, notebook or listing, exercises that cannot be fetched, a full storage, progress
// and answers as one file, odd entries in such a file, and what an older edition of the page kept.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const zlib = require('node:zlib');
const puppeteer = require('puppeteer-core');
const serve = require('./serve.js');

const PATIENCE = 40_000;
const PAGE = 'ch2_parallel.html';
const LIST = 'exercises.html';
const PARTLESS = 'ch3_blocks.html';
const CARD = '#exercise-2-1';
const FILE = 'kernels/exercises/2_1_barrier.cu';

const problems = [];
const expect = (is, what, now) => is || problems.push(`${what}: ${JSON.stringify(now)?.slice(0, 400)}`);

/** The exercise's card, open, with its editor. */
async function openCard(page, address) {
    await page.goto(`${address}/${PAGE}${CARD}`, { waitUntil: 'load' });
    await page.$eval(CARD, card => (card.open = true));
    await page.waitForSelector(`${CARD} .card-run`, { timeout: PATIENCE });
    await press(page, CARD, 'Edit');
    await page.waitForSelector(`${CARD} .cm-content`, { timeout: PATIENCE });
}

/** Presses a button that is in view, below `at`. */
async function press(page, at, words) {
    const isPressed = await page.$eval(at, (frame, words) => {
        const button = [...frame.querySelectorAll('button')].find(one => one.textContent.startsWith(words)
            && one.checkVisibility());
        button?.click();
        return Boolean(button);
    }, words);
    expect(isPressed, `there is no button “${words}”`, at);
}

const sees = (page, words) => page.$eval(CARD,
    (card, words) => [...card.querySelectorAll('button')].some(one => one.textContent.startsWith(words)
    && one.checkVisibility()), words);

/** Types at the start of the code. */
async function type(page, text) {
    await page.bringToFront();
    await page.focus(`${CARD} .cm-content`);
    await page.keyboard.down('Control');
    await page.keyboard.press('Home');
    await page.keyboard.up('Control');
    await page.keyboard.type(text);
    await settled(page);
}

/** What the page does about it is done. */
const settled = page => page.evaluate(() => new Promise(resolve => setTimeout(resolve, 300)));
const code = page => page.$eval(CARD,
    card => [...card.querySelectorAll('.cm-line')].map(line => line.textContent).join('\n'));
const status = page => page.$eval(`${CARD} .card-status`, element => element.textContent);
const question = page => page.$eval(`${CARD} .other-tab`,
    element => (element.checkVisibility() ? element.textContent : ''));
/** All that the browser keeps, as one text. */
const held = page => page.evaluate(() => Object.entries(localStorage).flat().join('\n'));

async function twoTabs(context, address) {
    const one = await context.newPage();
    const other = await context.newPage();
    await other.evaluateOnNewDocument(() =>
        addEventListener('storage', event => window.isAsleep && event.stopImmediatePropagation(), true));
    await openCard(one, address);
    await openCard(other, address);
    await type(one, '// First tab.');
    await other.bringToFront();
    await settled(other);
    expect((await code(other)).includes('// First tab.'), 'a tab that has written nothing does not follow',
        await code(other));
    // Both write before one hears of the other.
    await other.evaluate(() => (window.isAsleep = true));
    await type(one, '// More.');
    await type(other, '// Second tab.');
    const all = await held(one);
    expect(all.includes('// More.') && all.includes('// Second tab.'),
        'a key in the second tab destroys the first’s work', all);
    await one.bringToFront();
    await settled(one);
    expect(/changed in another tab/.test(await question(one)), 'nobody asks which text is to stay',
        await question(one));
    if (process.env.PICTURE) {
        await (await one.$(CARD)).screenshot({ path: process.env.PICTURE });
    }
    await press(one, CARD, 'Keep mine');
    expect((await code(one)).includes('// More.'), 'what was kept is not there', await code(one));
    expect(!/changed/.test(await question(one)), 'it asks twice', await question(one));
    await press(one, CARD, 'Bring back');
    await settled(one);
    expect((await code(one)).includes('// Second tab.'), 'the other text does not come back',
        await code(one));
    await press(one, CARD, 'Bring back');
    await settled(one);
    expect((await code(one)).includes('// More.'), 'the first text does not come back', await code(one));
    await other.close();
    return one;
}

/** The same in the notebook and in a listing: both texts are kept, and the reader is asked. */
async function twoTabsElsewhere(browser, address, { page: name, open, frame }) {
    const context = await browser.createBrowserContext();
    const tabs = [];
    for (const isAsleep of [false, true]) {
        const page = await context.newPage();
        await page.evaluateOnNewDocument(() =>
            addEventListener('storage', event => window.isAsleep && event.stopImmediatePropagation(), true));
        await page.goto(`${address}/${name}`, { waitUntil: 'load' });
        await page.waitForSelector(open, { timeout: PATIENCE });
        await page.$eval(open, button => button.click());
        await page.waitForSelector(`${frame} .cm-content`, { timeout: PATIENCE });
        await page.evaluate(isAsleep => (window.isAsleep = isAsleep), isAsleep);
        tabs.push(page);
    }
    const [one, other] = tabs;
    for (const [page, words] of [[one, '// First tab.'], [other, '// Second tab.']]) {
        await page.bringToFront();
        await page.focus(`${frame} .cm-content`);
        await page.keyboard.type(words);
        await settled(page);
    }
    await one.bringToFront();
    await settled(one);
    const all = await held(one);
    expect(all.includes('First tab') && all.includes('Second tab'),
        `${name}: a key in the second tab destroys the first’s work`, all.slice(-300));
    const asks = await one.$eval('.other-tab',
        element => (element.checkVisibility() ? element.textContent : ''));
    expect(/changed in another tab/.test(asks), `${name}: nobody asks which text is to stay`, asks);
    await press(one, '.other-tab', 'Show theirs');
    await settled(one);
    const text = () => one.$eval('body', body =>
        [...body.querySelectorAll('.cm-line')].map(line => line.textContent).join(' '));
    expect(/Second tab/.test(await text()), `${name}: the other text is not shown`, await text());
    await press(one, 'main', 'Bring back');
    await settled(one);
    expect(/First tab/.test(await text()), `${name}: the reader’s own does not come back`, await text());
    await context.close();
}

const ELSEWHERE = [
    { page: 'appendix_simulate.html', open: '#notebook .notebook-edit', frame: '#notebook' },
    { page: 'ch2_parallel.html', open: '.listing button', frame: 'main' },
];

/** No byte more fits into the storage. */
const fill = page => page.evaluate(() => {
    localStorage.removeItem('filler');
    let text = '';
    for (let step = 1 << 22; step > 0; step >>= 1) {
        try {
            localStorage.setItem('filler', text + 'x'.repeat(step));
            text += 'x'.repeat(step);
        } catch {
            // Half as much may fit.
        }
    }
});

async function fullStorage(page) {
    const before = await code(page);
    await fill(page);
    await press(page, CARD, 'Reset');
    await page.waitForFunction(at => /full/.test(document.querySelector(`${at} .card-status`).textContent),
        { timeout: PATIENCE }, CARD).catch(() => {});
    expect(/storage is full/.test(await status(page)), 'Reset does not say that there is no room',
        await status(page));
    expect((await code(page)) === before && (await held(page)).includes('// More.'),
        'Reset without room loses the answer', await code(page));
    await type(page, '// Late.');
    expect(/Not kept: .*full/.test(await status(page)), 'what is typed and not kept is not said',
        await status(page));
    expect((await code(page)).includes('// Late.'), 'what is typed is gone', await code(page));
    await page.evaluate(() => localStorage.removeItem('filler'));
    await type(page, '// Room.');
    expect((await held(page)).includes('// Late.'), 'it is not kept once there is room', await held(page));
}

const said = page => page.$eval('.card-status', element => element.textContent);

async function imports(page, name, text) {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'answers-')), name);
    fs.writeFileSync(file, text);
    await page.$eval('.card-status', element => (element.textContent = ''));
    await (await page.$('input[type=file]')).uploadFile(file);
    await page.waitForFunction(() => document.querySelector('.card-status').textContent,
        { timeout: PATIENCE });
    return said(page);
}

async function openList(context, address) {
    const page = await context.newPage();
    await page.goto(`${address}/${LIST}`, { waitUntil: 'load' });
    await page.waitForSelector('.exercise-bar button', { timeout: PATIENCE });
    return page;
}

/** What Export downloads. */
async function exported(page) {
    await page.evaluate(() => {
        URL.createObjectURL = blob => {
            window.saved = blob.text();
            return 'data:,';
        };
    });
    await press(page, '.exercise-bar', 'Export');
    return page.evaluate(() => window.saved);
}

async function oneFile(browser, context, address) {
    const list = await openList(context, address);
    await imports(list, '.exercises.json',
        JSON.stringify({ exercises: { '2.1': { passed: true, hints: 1 } } }));
    const text = await exported(list);
    const { exercises, answers } = JSON.parse(text);
    expect(exercises['2.1']?.passed && /Late/.test(answers?.[FILE]), 'Export leaves something out',
        { exercises, answers });

    const fresh = await browser.createBrowserContext();
    const empty = await openList(fresh, address);
    expect(/1 file imported/.test(await imports(empty, '.exercises.json', text)), 'Import does not take it',
        await said(empty));
    const other = await fresh.newPage();
    await openCard(other, address);
    expect(/Late/.test(await code(other)), 'the answer is not there', await code(other));
    expect(/done/.test(await other.$eval(`${CARD} > summary`, element => element.textContent)),
        'the progress is not there', '');
    // An answer that makes way is kept.
    await imports(empty, '.exercises.json',
        JSON.stringify({ exercises: {}, answers: { [FILE]: '// Theirs.\n' } }));
    await other.bringToFront();
    await settled(other);
    expect(await sees(other, 'Bring back'), 'an import loses the answer that was there', await code(other));

    const odd = '{"exercises":{"2.1":{"passed":false,"hints":1e300},"2.2":{"passed":"yes","hints":-1},' +
        '"__proto__":{"passed":true,"hints":0}},"answers":{"/etc/passwd":"x"}}';
    const words = await imports(empty, '.exercises.json', odd);
    expect(/made no sense|has no progress/.test(words) && words.includes('.exercises.json'),
        'odd entries are not named', words);
    const now = JSON.parse(await exported(empty)).exercises;
    expect(now['2.1'].passed && now['2.1'].hints === 1 && !now['2.2']?.passed,
        'an odd entry undoes something', now);
    const large = await imports(empty, '2_1_barrier.cu', 'x'.repeat(20_000_000));
    expect(/was not imported: it has 20,000,000 bytes/.test(large), 'an answer of 20 MB is taken', large);
    await fill(empty);
    const full = await imports(empty, '2_1_barrier.cu', '// Another.\n');
    expect(/storage is full/.test(full) && /Theirs/.test(await held(empty)),
        'an import without room is not refused', full);
    await fresh.close();
}

/** As the first edition of this page kept it. */
async function older(browser, address) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${address}/${LIST}`, { waitUntil: 'load' });
    await page.evaluate(file => {
        localStorage.clear();
        localStorage.setItem('workbook-exercises', '{"exercises":{"2.1":{"passed":true,"hints":2}}}');
        localStorage.setItem(`workbook-exercises ${file}`, 'int older;\n');
        localStorage.setItem(`workbook-exercises ${file}.backup`, 'int oldest;\n');
    }, FILE);
    await openCard(page, address);
    expect(/int older;/.test(await code(page)), 'an older answer is not found', await code(page));
    expect(/done/.test(await page.$eval(`${CARD} > summary`, element => element.textContent)),
        'older progress is not found', '');
    await press(page, CARD, 'Bring back');
    await settled(page);
    expect(/int oldest;/.test(await code(page)), 'an older backup is not found', await code(page));
    await context.close();
}

/** An import in one tab while another keeps its own text: at whichever step of the import that happens, no
    text is lost. */
async function importsMeanwhile(browser, address) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${address}/${LIST}`, { waitUntil: 'load' });
    const lost = await page.evaluate(async () => {
        const { kept } = await import('./live/store.js?one');
        const { kept: keptThere } = await import('./live/store.js?other');
        const own = { ...Object.fromEntries(['getItem', 'setItem',
            'removeItem'].map(name => [name, Storage.prototype[name]])) };
        const lost = [];
        for (let at = 0, isWithin = true; isWithin; at++) {
            isWithin = false;
            localStorage.clear();
            const name = `interleaved ${at}`;
            const one = kept(name);
            one.write({ text: 'first' });
            one.replace({ text: 'imported' });
            one.replace({ text: 'first' });
            const other = keptThere(name);
            other.write({ text: 'other' });
            let steps = 0;
            for (const [call, act] of Object.entries(own)) {
                Storage.prototype[call] = function (...words) {
                    if (steps++ === at) {
                        isWithin = true;
                        other.keepMine();
                    }
                    return act.apply(this, words);
                };
            }
            one.replace({ text: 'imported' });
            Object.assign(Storage.prototype, own);
            const texts = Object.entries(localStorage).flat().join();
            lost.push(...['first', 'imported', 'other'].filter(text => !texts.includes(`"text":"${text}"`))
                .map(text => `${text} at step ${at}`));
        }
        return lost;
    });
    expect(lost.length === 0, 'an import loses a text', lost);
    await context.close();
}

/** Texts of links that were put aside make way when the storage is full, and the reader's own do not. */
async function manyLinks(browser, address) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${address}/${LIST}`, { waitUntil: 'load' });
    const said = await page.evaluate(async () => {
        const { kept } = await import('./live/store.js?links');
        const one = kept('workbook-edit links');
        one.write({ text: 'mine' });
        try {
            [...'abcdef'].forEach(letter => one.replace({ text: letter.repeat(1_500_000), isLink: true }));
        } catch (error) {
            return error.message;
        }
        return `${one.value.text[0]}, ${one.asides()[0].text}`;
    });
    expect(said === 'f, mine', 'links fill the storage', said);
    await context.close();
}

/** A removed cell comes back by Reset and the import of the very text that it was removed from. */
async function removedCell(browser, address) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.goto(`${address}/appendix_simulate.html`, { waitUntil: 'load' });
    await page.waitForSelector('.notebook-cell', { timeout: PATIENCE });
    await press(page, '.notebook-cell', '+');
    await page.waitForFunction(() => document.querySelectorAll('.notebook-cell .cm-content').length === 2,
        { timeout: PATIENCE });
    await (await page.$$('.notebook-cell .cm-content'))[1].focus();
    await page.keyboard.type('// Hours of work.');
    await settled(page);
    await (await page.$('.notebook-cell .cm-content')).focus();
    await page.keyboard.type('// Mine.');
    await settled(page);
    await press(page, '.notebook-cell:nth-child(2)', 'Remove');
    await settled(page);
    const text = await page.evaluate(() => {
        const [, value] = Object.entries(localStorage).find(([key]) => key.startsWith('workbook-notebook @'));
        return JSON.parse(value).text;
    });
    await press(page, '.notebook-all', 'Reset');
    await settled(page);
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'answers-')), 'notebook.cu');
    fs.writeFileSync(file, `${text}\n`);
    await (await page.$('#notebook input[type=file]')).uploadFile(file);
    const isHere = () => /is here/.test(document.querySelector('.notebook-all .card-status').textContent);
    await page.waitForFunction(isHere, { timeout: PATIENCE }).catch(() => {});
    const all = await held(page);
    expect(all.includes('// Hours of work.'), 'an import loses the cell that was removed before', all);
    await context.close();
}

/** A link that stands in the page's own address, without a clipboard, does not take the place of what is
    written after it. */
async function ownLink(browser, address) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.evaluateOnNewDocument(() =>
        Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.goto(`${address}/${PARTLESS}`, { waitUntil: 'load' });
    await page.$eval('.listing button', button => button.click());
    await page.waitForSelector('.workbench .cm-content', { timeout: PATIENCE });
    await page.focus('.cm-content');
    await page.keyboard.type('// First.');
    await press(page, '.workbench', 'Copy link');
    await page.waitForFunction(() => location.hash.includes('&code='), { timeout: PATIENCE });
    await page.focus('.cm-content');
    await page.keyboard.type('// Second.');
    await settled(page);
    await page.reload({ waitUntil: 'load' });
    await page.waitForSelector('.listing.edited', { timeout: PATIENCE });
    await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 1000)));
    const text = await page.$eval('main', main => main.textContent);
    expect(text.includes('// Second.'), 'the page’s own link takes the place of what was written after it',
        await held(page));
    await context.close();
}

/** What an import cannot keep is not imported: without storage, and without room. */
async function keepsNothing(browser, address) {
    const context = await browser.createBrowserContext();
    const file = JSON.stringify({ exercises: { '2.1': { passed: true, hints: 1 } },
        answers: { [FILE]: '// Theirs.\n' } });
    const full = await openList(context, address);
    await fill(full);
    const refused = await imports(full, '.exercises.json', file);
    const isRefused = /storage is full/.test(refused) && !/imported\./.test(refused);
    expect(isRefused, 'an import without room claims that it was one', refused);
    const page = await context.newPage();
    const get = () => {
        throw new Error('blocked');
    };
    await page.evaluateOnNewDocument(`Object.defineProperty(window, 'localStorage', { get: ${get} })`);
    await page.goto(`${address}/${LIST}`, { waitUntil: 'load' });
    await page.waitForSelector('.exercise-bar button', { timeout: PATIENCE });
    const said = await imports(page, '.exercises.json', file);
    const summary = await page.$eval('.exercise-bar', bar => bar.previousElementSibling.textContent);
    const isSaid = /^Nothing was imported/.test(said) && /^0 of/.test(summary);
    expect(isSaid, 'an import that nothing keeps claims that it was one', [said, summary]);
    await context.close();
}

const NUMBERS = '#exercise-2-4';

/** What is typed is kept, though the tasks cannot be fetched. */
async function withoutTasks(browser, address) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await openCard(page, address);
    await type(page, '// First.');
    let isGone = true;
    await page.setRequestInterception(true);
    page.on('request', request => (isGone && request.url().includes('exercises.json') ? request.abort()
        : request.continue()));
    await page.goto('about:blank');
    await openCard(page, address);
    await type(page, '// Second.');
    expect((await held(page)).includes('// Second.'), 'what is typed without the task is lost',
        await status(page));

    await page.$eval(NUMBERS, card => (card.open = true));
    await page.waitForSelector(`${NUMBERS} input`, { timeout: PATIENCE });
    await page.focus(`${NUMBERS} input`);
    await page.keyboard.type('42');
    await settled(page);
    const typed = await held(page);
    expect(typed.includes('The answer: line 42;'), 'a number that is typed without the task is lost', typed);
    isGone = false;
    await press(page, NUMBERS, 'Check');
    const hasVerdict = at => document.querySelector(`${at} .exercise-verdict`).textContent;
    await page.waitForFunction(hasVerdict, { timeout: PATIENCE }, NUMBERS).catch(() => {});
    const [verdict, all] = [await page.$eval(`${NUMBERS} .exercise-out`, out => out.textContent),
        await held(page)];
    const isChecked = /line 42/.test(verdict) && all.includes('// Exercise 2.4');
    expect(isChecked, 'a number from before the task is not checked', [verdict, all.slice(-600)]);
    await context.close();
}

/** An edit of the first page is there at each of its addresses; also one that an older edition kept by its
    address. */
async function oneName(browser, address) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    const isEdited = () => page.waitForSelector('.listing.edited', { timeout: 5000 })
        .then(() => true, () => false);
    await page.goto(`${address}/`, { waitUntil: 'load' });
    await page.$eval('.listing button', button => button.click());
    await page.waitForSelector('.cm-content', { timeout: PATIENCE });
    await page.focus('.cm-content');
    await page.keyboard.type('// At the root.');
    await settled(page);
    for (const name of ['introduction.html', 'index.html']) {
        await page.goto(`${address}/${name}`, { waitUntil: 'load' });
        expect(await isEdited(), `an edit at / is not there at ${name}`, await held(page));
    }
    await page.evaluate(() => {
        for (const key of Object.keys(localStorage).filter(key => key.startsWith('workbook-edit '))) {
            localStorage.setItem(key.replace('/introduction.html', '/'), localStorage.getItem(key));
            localStorage.removeItem(key);
        }
    });
    await page.goto(`${address}/introduction.html`, { waitUntil: 'load' });
    expect(await isEdited(), 'what an older edition kept by the address / is not there', await held(page));
    await context.close();
}

/** A link whose code lacks the parts that the page's listings show, as an old one does: all of it stands
    there, and the reader's own text comes back. */
async function partless(browser, address) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    const listing = '.workbench';
    const text = () => page.$eval(`${listing} .cm-content`, element => element.textContent);
    const open = async hash => {
        await page.goto('about:blank');
        await page.goto(`${address}/${PARTLESS}${hash}`, { waitUntil: 'load' });
    };
    await open('');
    await page.$eval('.listing button', button => button.click());
    await page.waitForSelector(`${listing} .cm-content`, { timeout: PATIENCE });
    await page.focus(`${listing} .cm-content`);
    await page.keyboard.type('// My own.');
    await settled(page);
    const file = await page.$eval('.listing:has(> button)',
        caption => caption.querySelector('code').textContent);
    const code = zlib.deflateRawSync(JSON.stringify({ file, source: 'int x;' })).toString('base64url');
    await open(`#cell-1&code=${code}`);
    await page.waitForSelector(`${listing} .cm-content`, { timeout: PATIENCE })
        .catch(() => problems.push('a link without the listing’s part opens no editor'));
    if (!(await page.$(listing))) {
        return;
    }
    expect((await text()) === 'int x;', 'the code of a link without the listing’s part is not shown',
        await text());
    await page.focus(`${listing} .cm-content`);
    await page.keyboard.type('// Added. ');
    await settled(page);
    expect((await text()).includes('// Added.'), 'what is typed there is not kept', await text());
    await press(page, listing, 'Reset');
    await settled(page);
    expect(/__global__/.test(await text()), 'Reset does not show the printed part', await text());
    // First what was typed last; its own edit is one of another listing of the file.
    const stands = () => page.evaluate(() => Object.entries(localStorage)
        .some(([key, text]) => key.includes(' @') && text.includes('// My own.')));
    for (let times = 0; times < 2; times++) {
        await press(page, listing, 'Bring back');
        await settled(page);
    }
    expect((await stands()) && /__global__/.test(await text()), 'the reader’s own text does not come back',
        await text());
    await context.close();
}

async function main(root) {
    const server = await serve(root);
    const address = `http://127.0.0.1:${server.address().port}`;
    const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM,
        args: ['--no-sandbox', '--disable-gpu'] });
    try {
        const context = await browser.createBrowserContext();
        const page = await twoTabs(context, address);
        await fullStorage(page);
        await oneFile(browser, context, address);
        await older(browser, address);
        await importsMeanwhile(browser, address);
        await partless(browser, address);
        await withoutTasks(browser, address);
        await oneName(browser, address);
        await keepsNothing(browser, address);
        await manyLinks(browser, address);
        await removedCell(browser, address);
        await ownLink(browser, address);
        for (const place of ELSEWHERE) {
            await twoTabsElsewhere(browser, address, place);
        }
    } finally {
        await browser.close();
        server.close();
    }
    problems.forEach(problem => console.log(`answers: ${problem}`));
    console.log(problems.length ? `${problems.length} problems` : 'what the reader has written stays theirs');
    process.exitCode = problems.length ? 1 : 0;
}

main(process.argv[2]);
