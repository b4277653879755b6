// See `check`, which starts this.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const axe = require('axe-core');
const puppeteer = require('puppeteer-core');
const allowed = require('./allowed.js');
const edits = require('./edits.js');
const exercises = require('./exercises.js');
const inPage = require('./in_page.js');
const live = require('./live.js');
const mistakes = require('./mistakes.js');
const notebook = require('./notebook.js');
const serve = require('./serve.js');

const THEMES = ['light', 'rust', 'coal', 'navy', 'ayu'];
const WIDTHS = [1280, 390];
const HEIGHT = 893;
/** Twelve screens, for the pages of the story. */
const TALLEST = 12 * HEIGHT + 4;
const STORY = /^(introduction|ch\d.*)\.html$/;
/** Bytes that the introduction has fetched beside its text before anybody presses Run, unpacked. */
const FIRST_PAGE = 'introduction.html';
const MOST_BYTES = 615_000;
const SMALLEST_TEXT = 11;
const SMALLEST_CODE = 13;
const LOWEST_FOR_A_FINGER = 32;
const MOST_PAPER = 120;
/** The rules of axe whose answer depends on the theme and not on the width. As a page is opened they are
    asked of everything in the first theme; in the others, and of what is shown later, of two texts of each
    kind. The other rules are asked of everything, once per width. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
/** What nobody reads as a page of its own: the contents for browsers without scripts, and the first page once
    more. */
const NOT_READ = ['toc.html', 'index.html'];

/** What is wrong, of which page, to where it is seen: in which themes, at which widths. */
const problems = new Map();
function report(page, where, message) {
    const key = JSON.stringify([page, message]);
    problems.set(key, (problems.get(key) ?? new Set()).add(where));
}
function* lines() {
    for (const [key, places] of [...problems].sort()) {
        const [page, message] = JSON.parse(key);
        const where = [...places].filter(Boolean).join(', ');
        yield `${page}: ${where ? `${where}: ` : ''}${message}`;
    }
}

/** A tab that reports what the page says on the console and what it asks of others. */
async function tab(browser, origin) {
    const page = await browser.newPage();
    // Several tabs have the focus, each for itself.
    await (await page.createCDPSession()).send('Emulation.setFocusEmulationEnabled', { enabled: true });
    page.current = '';
    await page.evaluateOnNewDocument(forget);
    page.on('console', message => {
        // Chromium asks for the icon again when the address changes, network or not.
        if (!/\/favicon-/.test(message.location().url ?? '') || !message.text().includes('DISCONNECTED')) {
            report(page.current, '', `console: ${message.text()}`);
        }
    });
    page.on('pageerror', error => report(page.current, '', `script error: ${error.message}`));
    page.on('request', request => {
        // blob: is something of the page's own.
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin)) {
            report(page.current, '', `asks for ${request.url()}`);
        }
    });
    page.on('response', response => {
        if (response.status() >= 400) {
            report(page.current, '', `answer ${response.status()} for ${response.url()}`);
        }
    });
    return page;
}

const STILL = '*, *::before, *::after { transition: none !important; animation: none !important }';
async function open(page, origin, name, width) {
    page.current = name;
    await page.setViewport({ width, height: HEIGHT });
    await page.goto(`${origin}/${name}`, { waitUntil: 'load' });
    // No half-way colours after a change of theme.
    await page.addStyleTag({ content: STILL });
}

/** What `look` finds once the page has answered a change of its layout; on a busy machine that takes some
    frames. */
async function settled(page, look) {
    for (let tries = 0; tries < 20; tries++) {
        const found = await page.evaluate(look);
        if (!found.length) {
            return found;
        }
        await new Promise(ready => setTimeout(ready, 100));
    }
    return page.evaluate(look);
}

const used = new Set();
/** What axe says of the page, or of its `parts`: a selector; of `only` these rules, of two texts of each
    kind. */
async function accessibility(page, where, { only, except, parts }) {
    const { violations } = await page.evaluate(
        (only, except, parts) => {
            const all = parts ? { include: [...document.querySelectorAll(parts)] } : document;
            return window.axe.run(only ? { include: window.textSamples() } : all, {
                resultTypes: ['violations'],
                ...(only && { runOnly: only }),
                ...(except && { rules: Object.fromEntries(except.map(rule => [rule, { enabled: false }])) }),
            });
        },
        only,
        except,
        parts,
    );
    for (const { id, nodes } of violations) {
        for (const { target, failureSummary, html } of nodes) {
            const selector = target.flat().join(' ');
            const entry = allowed.find(entry => entry.rule === id && entry.target.test(selector));
            if (entry) {
                used.add(entry);
            } else {
                const why = failureSummary.split('\n').slice(1).map(line => line.trim()).join('; ');
                report(page.current, where, `axe ${id}: ${selector}: ${why} ${html.slice(0, 100)}`);
            }
        }
    }
}

/** Every page is as at first, unless it is to remember what was opened. */
function forget() {
    try {
        if (!sessionStorage.getItem('remembers')) {
            localStorage.removeItem(`workbook-open ${location.pathname}`);
        }
    } catch {
        // Not a page of the book.
    }
}

/** A part that the reader has opened is open when the page is loaded again; then the page is as at first. */
async function remembers(page) {
    if (!(await page.$('.predict'))) {
        return [];
    }
    await page.evaluate(() => sessionStorage.setItem('remembers', 'yes'));
    const folded = await page.evaluate(inPage.fold);
    await new Promise(done => setTimeout(done, 50)); // the page hears of it
    await page.reload({ waitUntil: 'load' });
    const again = await page.evaluate(inPage.folds);
    await page.evaluate(() => sessionStorage.removeItem('remembers'));
    await page.reload({ waitUntil: 'load' });
    const fresh = await page.evaluate(inPage.folds);
    await page.addStyleTag({ content: STILL });
    await page.evaluate(axe.source);
    await page.evaluate(`window.textSamples = ${inPage.textSamples}`);
    return [
        ...(again.join() === folded.join() ? []
            : [`a reload loses what was opened: ${folded} became ${again}`]),
        ...(fresh.includes(true) ? [`a prediction is open at first: ${fresh}`] : []),
    ];
}

/** Everything that is asked of one page, at both widths and in all themes. `runs`: the book has something to
    run. */
async function checkPage(page, origin, name, links, runs) {
    for (const width of WIDTHS) {
        await open(page, origin, name, width);
        const at = `${width} px`;
        if (width === WIDTHS[0]) {
            links.set(name, await page.evaluate(inPage.links));
            const height = await page.evaluate(inPage.height);
            const weight = name === FIRST_PAGE ? await page.evaluate(inPage.weight) : 0;
            if (weight > MOST_BYTES) {
                report(name, at, `weighs ${weight} bytes before the first Run, at most ${MOST_BYTES}`);
            }
            if (STORY.test(name) && height > TALLEST) {
                report(name, at, `is ${height} px tall, that is ${(height / HEIGHT).toFixed(1)} screens; ` +
                    `at most ${TALLEST}`);
            }
        }
        const list = (what, items) => items.forEach(item => report(name, at, what + item));
        list('scrolls sideways because of ', await page.evaluate(inPage.overflowing));
        await page.evaluate(axe.source);
        await page.evaluate(`window.textSamples = ${inPage.textSamples}`);
        if (width === WIDTHS[0]) {
            list('', await remembers(page));
        }
        list('', await page.evaluate(inPage.predictions));
        await page.evaluate(inPage.openDetails);
        list('scrolls sideways, with all open, because of ', await page.evaluate(inPage.overflowing));
        list('', await settled(page, inPage.scrollers));
        list('', await page.evaluate(inPage.commands));
        list('', await page.evaluate(inPage.terms));
        list('the edge of a figure cuts ', await page.evaluate(inPage.cutText));
        if (width === 390) {
            list('small text in a figure: ', await page.evaluate(inPage.smallText, SMALLEST_TEXT));
            list('small code: ', await page.evaluate(inPage.smallCode, SMALLEST_CODE));
            list('low for a finger: ', await page.evaluate(inPage.lowForAFinger, LOWEST_FOR_A_FINGER));
        }
        if (width !== WIDTHS[0]) {
            await accessibility(page, at, { except: COLOUR_RULES });
            continue;
        }
        await page.emulateMediaType('print');
        list('on paper stands a ', await page.evaluate(inPage.controls));
        await page.emulateMediaType('screen');
        // Where cells run, live.js asks in all themes, with their results.
        const themes = runs && (await page.$('.cell[data-live]')) ? THEMES.slice(0, 1) : THEMES;
        for (const theme of themes) {
            await page.evaluate(inPage.setTheme, theme);
            await accessibility(page, `${theme} at ${at}`, theme === THEMES[0] ? {} : { only: COLOUR_RULES });
        }
    }
}

/** The right arrow in something that scrolls moves that, and does not turn the page. */
async function checkArrows(page, origin, names) {
    for (const selector of ['main pre code[tabindex]', 'main .table-frame[tabindex]']) {
        let found = false;
        for (const name of names) {
            await open(page, origin, name, 390);
            await page.evaluate(inPage.openDetails);
            await new Promise(done => setTimeout(done, 100));
            const region = await page.$(selector);
            if (!region) {
                continue;
            }
            found = true;
            await region.focus();
            await page.keyboard.press('ArrowRight');
            await new Promise(done => setTimeout(done, 300));
            if (page.url() !== `${origin}/${name}`) {
                report(name, '390 px', `an arrow key in ${selector} turns the page`);
            } else if ((await region.evaluate(e => e.scrollLeft)) === 0) {
                report(name, '390 px', `an arrow key in ${selector} does not scroll it`);
            }
            break;
        }
        if (!found) {
            report('the book', '390 px', `nothing to try the arrow keys in: ${selector}`);
        }
    }
}

async function checkPaper(page, origin, links) {
    // mdBook's page opens the dialog for printing, and Chromium refuses to print what is being printed
    // already.
    await page.evaluateOnNewDocument(() => (window.print = () => {}));
    await open(page, origin, 'print.html', 1280);
    links.set('print.html', await page.evaluate(inPage.links));
    for (const theme of THEMES) {
        await page.emulateMediaType('screen');
        await page.evaluate(inPage.setTheme, theme);
        await page.emulateMediaType('print');
        for (const pale of await page.evaluate(inPage.paleOnPaper)) {
            report('print.html', theme, `too pale on paper: ${pale}`);
        }
    }
    const pdf = Buffer.from(await page.pdf({ format: 'A4', timeout: 120_000 }));
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    console.log(`print.html has ${pages} pages on paper`);
    if (pages === 0 || pages > MOST_PAPER) {
        report('print.html', 'A4', `${pages} pages, at most ${MOST_PAPER}`);
    }
    if (process.env.PDF) {
        fs.writeFileSync(process.env.PDF, pdf);
    }
    await page.emulateMediaType('screen');
}

function checkLinks(origin, links, root) {
    for (const [name, { hrefs }] of links) {
        // It is shown in place of any page, and so its own address leads to the front page.
        if (name === '404.html') {
            continue;
        }
        for (const href of new Set(hrefs)) {
            if (!href.startsWith(origin)) {
                continue;
            }
            const url = new URL(href);
            const to = decodeURIComponent(url.pathname).slice(1) || 'index.html';
            const anchor = decodeURIComponent(url.hash).slice(1);
            if (!fs.existsSync(path.join(root, to))) {
                report(name, '', `a link leads to ${to}, which is not there`);
            } else if (anchor && links.has(to) && !links.get(to).names.includes(anchor)) {
                report(name, '', `a link leads to ${to}#${anchor}; the page has no such anchor`);
            }
        }
    }
}

/** What live.js, edits.js, exercises.js, notebook.js and mistakes.js borrow. */
const lent = browser => ({
    report,
    load: open,
    accessibility: async (page, where, parts) => {
        await page.evaluate(axe.source);
        await page.evaluate(`window.textSamples = ${inPage.textSamples}`);
        await accessibility(page, `${THEMES[0]}, ${where}`, { except: COLOUR_RULES, parts });
        for (const theme of THEMES) {
            await page.evaluate(inPage.setTheme, theme);
            await accessibility(page, `${theme}, ${where}`, { only: COLOUR_RULES });
        }
    },
    open: async (...to) => {
        await open(...to);
        await to[0].evaluate(inPage.openDetails);
    },
    openDetails: inPage.openDetails,
    overflowing: inPage.overflowing,
    scrollers: inPage.scrollers,
    another: async (page, isStranger = false) =>
        tab(isStranger ? await browser.createBrowserContext() : page.browserContext(),
            new URL(page.url()).origin),
    plain: async () => {
        const page = await browser.newPage();
        page.on('console', message => report(page.current, 'opened as a file', `console: ${message.text()}`));
        return page;
    },
});

async function main() {
    const [book, ...words] = process.argv.slice(2);
    const only = words.filter(word => word !== '--all');
    if (!book || !fs.existsSync(path.join(book, 'index.html'))) {
        console.error('usage: tests/browser/check BOOK [--all] [PAGE.html …], where BOOK is what `mdbook ' +
            'build book` made: book/book');
        process.exit(2);
    }
    const root = path.resolve(book);
    const all = fs.readdirSync(root).filter(name => name.endsWith('.html') && !NOT_READ.includes(name));
    const names = only.length ? only : all;
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-check-'));
    const server = await serve(root);
    const origin = `http://127.0.0.1:${server.address().port}`;
    const browser = await puppeteer.launch({
        executablePath: process.env.CHROMIUM,
        userDataDir: profile,
        protocolTimeout: 300_000,
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
            '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
    try {
        const links = new Map();
        const runs = live.isBuilt(root);
        const liveCells = [];
        // print.html is all pages once more; what could be wrong with them is found where they are.
        const queue = names.filter(name => name !== 'print.html');
        const worker = async () => {
            // Tabs of one context would follow each other's theme.
            const page = await tab(await browser.createBrowserContext(), origin);
            for (let name; (name = queue.shift()); ) {
                const started = Date.now();
                await checkPage(page, origin, name, links, runs);
                if (runs) {
                    liveCells.push(await live.checkLive(lent(browser), page, origin, name));
                    await edits.checkEdits(lent(browser), page, origin, name, root);
                    await notebook.checkNotebook(lent(browser), page, origin, name);
                    await mistakes.checkMistakes(lent(browser), page, origin, name);
                }
                if (process.env.VERBOSE) {
                    console.log(`${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
                }
            }
            await page.close();
        };
        await Promise.all(Array.from({ length: Math.min(4, os.availableParallelism()) }, worker));
        const page = await tab(browser, origin);
        if (runs) {
            await live.checkFile(lent(browser), root, names);
            console.log(live.summary(liveCells.reduce((sum, cells) => sum + cells, 0)));
            console.log(edits.summary());
            console.log(mistakes.summary());
        }
        const newTab = async () => tab(await browser.createBrowserContext(), origin);
        const paper = async () => only.length || checkPaper(await newTab(), origin, links);
        const solve = async () => {
            if (runs && names.includes(exercises.LIST)) {
                console.log(await exercises.checkExercises(lent(browser), newTab, origin,
                    words.includes('--all')));
            }
        };
        await Promise.all([paper(), solve()]);
        if (!only.length) {
            await checkArrows(page, origin, names.filter(name => STORY.test(name)));
            checkLinks(origin, links, root);
            for (const entry of allowed.filter(entry => !used.has(entry))) {
                report('tests/browser/allowed.js', '',
                    `no page needs ${entry.rule} ${entry.target} any more`);
            }
        }
    } finally {
        await browser.close();
        server.close();
        fs.rmSync(profile, { recursive: true, force: true });
    }
    for (const line of lines()) {
        console.log(line);
    }
    console.log(problems.size ? `${problems.size} problems` : `${names.length} pages, nothing wrong`);
    process.exit(problems.size ? 1 : 0);
}

main().catch(error => {
    console.error(error);
    process.exit(2);
});
