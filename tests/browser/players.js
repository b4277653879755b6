// Plays every figure of a built book in Chromium, by keyboard: `tests/browser/check` says what it needs.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium \
//         node tests/browser/players.js book/book [PAGE.html …]
//
// In light and dark, at two widths: the console is silent, nothing overflows, no request leaves the machine,
// every step says something, and the race of chapter 2 ends with 28 and with 36.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const puppeteer = require('puppeteer-core');
const serve = require('./serve.js');

const THEMES = ['light', 'navy'];
const WIDTHS = [1280, 390];
const SMALLEST_TEXT = 11;

const problems = new Set();

/** Everything that a figure shows in the frame that is shown: its words, and what is wrong with it. */
function look(figure, least) {
    const svg = figure.querySelector('.film-stage svg');
    const small = [...svg.querySelectorAll('text')].filter(text => {
        const seen = text.textContent.trim() && getComputedStyle(text).visibility === 'visible';
        const size = parseFloat(getComputedStyle(text).fontSize) * Math.abs(text.getScreenCTM().a);
        return seen && size < least - 0.05;
    });
    const frame = svg.getBoundingClientRect();
    const cut = [...svg.querySelectorAll('text')].filter(text => {
        const box = text.getBoundingClientRect();
        return text.textContent.trim() && (box.left < frame.left - 1 || box.right > frame.right + 1);
    });
    return {
        say: figure.querySelector('.film-say').textContent,
        verdict: svg.querySelector('.verdict')?.textContent ?? '',
        small: small.map(text => text.textContent),
        cut: cut.map(text => text.textContent),
        wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
        runs: figure.querySelectorAll('.film-code .runs').length,
        listing: figure.querySelectorAll('.film-code span').length,
        anchors: figure.querySelector('.film-code')?.textContent.includes('// ANCHOR') ?? false,
    };
}

/** Milliseconds of a step as it plays, at the speed that it has and at four times that. */
function plays(figure) {
    const { setInterval } = window;
    const paces = [];
    window.setInterval = (_, pace) => 1e9 + paces.push(pace); // no timer of the page
    const [button, speed] = [figure.querySelector('[aria-label="Play"]'),
        figure.querySelector('[aria-label="Speed"]')];
    button.click();
    speed.value = '4';
    speed.dispatchEvent(new Event('change'));
    window.setInterval = setInterval;
    button.click();
    speed.value = '1';
    return paces;
}

/** Steps through one run of a figure by keyboard; what its last frame says. */
async function play(page, figure, where, report) {
    const scrub = await figure.$('[aria-label="Player"] input[type=range]');
    if (!scrub) {
        return look_at(figure, where, report);
    }
    const paces = await figure.evaluate(plays);
    if (paces.join() !== '1400,350') {
        report(`${where}: at speeds 1 and 4 a step takes ${paces} ms`);
    }
    await scrub.focus();
    await page.keyboard.press('Home');
    const steps = await scrub.evaluate(input => Number(input.max));
    let last;
    for (let step = 0; step <= steps; step++) {
        const at = await scrub.evaluate(input => Number(input.value));
        if (at !== step) {
            report(`${where}: an arrow key leads to step ${at}, not ${step}`);
        }
        last = await look_at(figure, `${where}, step ${step}`, report);
        await page.keyboard.press('ArrowRight');
    }
    return last;
}

/** A figure opens with the frame that it names; on paper it shows the one that it shows without scripts. */
async function begins(figure, where) {
    const [first, paper, after, still, opens] = await figure.evaluate(figure => {
        const at = () => `${figure.player.track}.${figure.player.frame}`;
        const first = at();
        window.dispatchEvent(new Event('beforeprint'));
        const paper = at();
        window.dispatchEvent(new Event('afterprint'));
        return [first, paper, at(), `0.${figure.player.film.frame}`, `0.${figure.player.film.opens}`];
    });
    if (first !== opens || after !== first || paper !== still) {
        problems.add(`${where}: begins at ${first}, on paper ${paper} in place of ${still}, and then ` +
            `${after}`);
    }
}

async function look_at(figure, where, report) {
    const seen = await figure.evaluate(look, SMALLEST_TEXT);
    if (!seen.say.trim()) {
        report(`${where}: says nothing`);
    }
    if (seen.anchors) {
        report(`${where}: its listing has lines that are none of the kernel`);
    }
    seen.small.forEach(text => report(`${where}: small text “${text}”`));
    seen.cut.forEach(text => report(`${where}: the edge cuts “${text}”`));
    if (seen.wide) {
        report(`${where}: the page scrolls sideways`);
    }
    return seen;
}

const statusOf = frame => frame.$eval('.film-status', status => status.textContent);

/** A time axis: at its fixed scales it says what the film says, and it zooms between them by keyboard and
    wheel. */
async function zooms(page, figure, where, report) {
    const slider = await figure.waitForSelector('.film-zoom input', { timeout: 10_000 }).catch(() => null);
    if (!slider) {
        report(`${where}: no slider zooms it`);
        return;
    }
    const say = () => figure.$eval('.film-say', say => say.textContent);
    const runs = await figure.$$('[aria-label="Run"] button');
    for (const [number, run] of runs.entries()) {
        await run.focus();
        await page.keyboard.press('Enter');
        const told = await figure.evaluate((figure, number) =>
            figure.player.film.tracks[number].frames[0].say, number);
        if ((await say()) !== told) {
            report(`${where}: says “${await say()}”, not “${told}”`);
        }
    }
    const before = await say();
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    const nearer = await say();
    const box = await (await figure.$('.film-stage svg')).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel({ deltaY: -300 });
    await new Promise(done => setTimeout(done, 100));
    if (new Set([before, nearer, await say()]).size !== 3) {
        report(`${where}: keyboard or wheel do not zoom: “${before}”, “${nearer}”, “${await say()}”`);
    }
    await look_at(figure, `${where}, zoomed`, report);
}

/** A machine whose launch is the reader's: each slider changes what it says, and a kernel of the book brings
    its own back. */
async function launches(page, figure, frame, where, report) {
    const say = () => figure.$eval('.film-say', say => say.textContent);
    const recorded = await say();
    await frame.waitForSelector('[aria-label="Your own launch"] input', { timeout: 10_000 }).catch(() => {});
    const sliders = await frame.$$('[aria-label="Your own launch"] input');
    const said = [recorded];
    for (const slider of sliders) {
        await slider.focus();
        await page.keyboard.press((await slider.evaluate(({ value, max }) => value === max)) ? 'ArrowLeft'
            : 'ArrowRight');
        said.push(await say());
    }
    if (new Set(said).size !== 4 || said.slice(1).some(words => words.includes('recorded'))) {
        report(`${where}: the sliders say ${JSON.stringify(said)}`);
    }
    await look_at(figure, `${where}, own launch`, report);
    const runs = await figure.$$('[aria-label="Run"] button');
    await runs.at(-1).focus();
    await page.keyboard.press('Enter');
    if ((await say()) !== recorded) {
        report(`${where}: says “${await say()}” of the kernel that said “${recorded}”`);
    }
}

/** A figure of the reader's own run: the largest one, and back to the recorded one. */
async function own(page, frame, where, report) {
    const grids = () => frame.$$eval('.film-stage svg rect', rects => rects.length);
    await frame.waitForSelector('[aria-label="Your own run"]', { timeout: 10_000 }).catch(() => {});
    const sliders = await frame.$$('[aria-label="Your own run"] input');
    if (sliders.length < 2) {
        report(`${where}: no sliders`);
        return;
    }
    const recorded = await grids();
    await sliders[0].focus();
    await page.keyboard.press('End');
    const ran = status => /^Your own run/.test(status.textContent);
    await page.waitForFunction(ran, { timeout: 60_000, polling: 50 }, await frame.$('.film-status'))
        .catch(() => {});
    if (!/^Your own run/.test(await statusOf(frame)) || (await grids()) <= recorded) {
        report(`${where}: own run: “${await statusOf(frame)}”, ${await grids()} boxes after ${recorded}`);
    }
    await look_at(await frame.$('figure'), `${where}, own run`, report);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(status => status.textContent === 'As recorded.',
        { timeout: 60_000, polling: 50 }, await frame.$('.film-status')).catch(() => {});
    if ((await grids()) !== recorded) {
        report(`${where}: does not come back to the recorded run: “${await statusOf(frame)}”`);
    }
}

async function checkPage(page, origin, name, ends) {
    for (const width of WIDTHS) {
        for (const theme of THEMES) {
            await page.setViewport({ width, height: 893 });
            await page.goto(`${origin}/${name}`, { waitUntil: 'load' });
            await page.evaluate(theme => localStorage.setItem('mdbook-theme', theme), theme);
            await page.reload({ waitUntil: 'load' });
            // Some figures are folded: the answer to a question, and what only some readers need.
            await page.evaluate(() => document.querySelectorAll('details:has(figure.film)')
                .forEach(details => (details.open = true)));
            for (const figure of await page.$$('figure.film')) {
                await figure.evaluate(figure => figure.scrollIntoView());
                const plays = await figure.evaluate(figure => !!figure.querySelector(':scope > script'));
                if (!plays) {
                    continue;
                }
                await page.waitForFunction(figure => figure.player, { timeout: 10_000 }, figure);
                const id = await figure.evaluate(figure => figure.id);
                await begins(figure, `${name}#${id} (${theme}, ${width} px)`);
                const runs = await figure.$$('[aria-label="Run"] button');
                for (const run of runs.length ? runs : [null]) {
                    await run?.focus();
                    await (run && page.keyboard.press('Enter'));
                    const label = (await run?.evaluate(run => run.textContent)) ?? '';
                    const where = `${name}#${id} ${label} (${theme}, ${width} px)`;
                    const last = await play(page, figure, where, message => problems.add(message));
                    ends.set(`${id} ${label}`, last);
                }
                const where = `${name}#${id} (${theme}, ${width} px)`;
                const kind = await figure.evaluate(figure => figure.parentElement.dataset.film);
                if (kind === 'axis') {
                    await zooms(page, figure, where, message => problems.add(message));
                } else if (kind === 'machine') {
                    const frame = await figure.evaluateHandle(figure => figure.parentElement);
                    await launches(page, figure, frame, where, message => problems.add(message));
                } else if (kind === 'own') {
                    const frame = await figure.evaluateHandle(figure => figure.parentElement);
                    await own(page, frame, where, message => problems.add(message));
                }
            }
        }
    }
}

function expect(ends, run, verdict) {
    const seen = ends.get(run)?.verdict;
    if (seen !== undefined && seen !== verdict) {
        problems.add(`${run} ends with “${seen}”, not “${verdict}”`);
    }
}

async function main() {
    const [book, ...only] = process.argv.slice(2);
    const root = path.resolve(book);
    const hasFilm = name => fs.readFileSync(path.join(root, name), 'utf8').includes('<figure class="film"');
    const all = fs.readdirSync(root).filter(name => name.endsWith('.html')
        && !/^(print|index|toc)/.test(name));
    const names = (only.length ? only : all).filter(hasFilm);
    const server = await serve(root);
    const origin = `http://127.0.0.1:${server.address().port}`;
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'players-'));
    const browser = await puppeteer.launch({
        executablePath: process.env.CHROMIUM,
        userDataDir: profile,
        args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
            '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
    const ends = new Map();
    try {
        const page = await browser.newPage();
        await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
        page.on('console', message => problems.add(`console: ${message.text()}`));
        page.on('pageerror', error => problems.add(`script error: ${error.message}`));
        page.on('request', request => {
            // blob: is something of the page's own.
            if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) {
                problems.add(`asks for ${request.url()}`);
            }
        });
        for (const name of names) {
            await checkPage(page, origin, name, ends);
        }
    } finally {
        await browser.close();
        server.close();
        fs.rmSync(profile, { recursive: true, force: true });
    }
    expect(ends, 'film-race thread 4 first', 'sum 28, not 36');
    expect(ends, 'film-race thread 6 first', 'sum 36, by luck');
    expect(ends, 'film-barrier outside the if', 'sum 36');
    problems.forEach(problem => console.log(problem));
    console.log(problems.size ? `${problems.size} problems`
        : `${ends.size} runs of figures on ${names.length} pages, nothing wrong`);
    process.exit(problems.size ? 1 : 0);
}

main().catch(error => {
    console.error(error);
    process.exit(2);
});
