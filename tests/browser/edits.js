// Drives the editor of the introduction as a stranger would: break the kernel, mend it, come back, share it, give it up;
// and compiles a kernel of every page that has an editor. `check` is what check.js lends.

const fs = require('node:fs');
const path = require('node:path');
const inPage = require('./edits_in_page.js');

const PATIENCE = 120_000;

/** The page of the whole story; the others compile one listing. */
const STORY = 'introduction.html';

/** The line of a stranger who opens it: 20 Mbit/s. */
const LINE = { download: 20e6 / 8, upload: 5e6 / 8, latency: 20 };

/** Seconds from opening the introduction until its race is mended, all downloads and a try with a misspelt name among them; of every other first compile. */
const seconds = { mended: NaN, others: [] };

const idle = page => page.waitForFunction(inPage.idle, { timeout: PATIENCE, polling: 20 });
const press = async (page, name) => page.evaluate(inPage.press, name);
const shown = page => page.evaluate(inPage.shown);

async function edit(page, which = 0) {
    await page.evaluate(inPage.edit, which);
    await page.waitForSelector('.cm-content', { timeout: PATIENCE });
}

/** Puts the cursor behind the first line of the editor that begins with `begins`, or selects the line, and writes. */
async function write(page, begins, text, { instead = false } = {}) {
    const found = await page.evaluate(inPage.select, begins, instead);
    if (!found) {
        throw new Error(`no line of the editor begins with “${begins}”`);
    }
    if (!instead) {
        await page.keyboard.press('End');
        await page.keyboard.press('Enter');
    }
    await page.keyboard.sendCharacter(text);
}

async function run(page) {
    await page.keyboard.down('Control');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Control');
    await idle(page);
    return shown(page);
}

async function story(check, page, say, opened) {
    const expect = (what, is, now) => is || say(`${what}: ${JSON.stringify(now).slice(0, 600)}`);
    const untouched = await page.evaluate(inPage.text);
    await edit(page);
    let now = await shown(page);
    expect('the editor does not number the lines as the file does', now.numbers[0] === String(now.first), now);

    // A misspelt name stands at its line.
    await write(page, '        }', '__syncthread();');
    now = await run(page);
    const { line } = await page.evaluate(inPage.found);
    expect('a misspelt name is not an error at its line', /does not compile: 1 error, line (\d+)/.exec(now.status)?.[1] === line && now.result.includes('__syncthread'), [now, line]);
    expect('the command does not say that the edit is not on disk', now.note.includes('your kernel'), now);

    // Mended.
    await write(page, '        __syncthread()', '        __syncthreads();', { instead: true });
    now = await run(page);
    seconds.mended = (Date.now() - opened) / 1000;
    await page.emulateNetworkConditions(null);
    expect('the mended race is not right', /the result is right/.test(now.status) && /recorded.*yours/s.test(now.result) && !now.found, now);
    expect('the mended kernel is still “kept to show” its race', !now.result.includes('kept to show'), now);
    expect('a mended run has no steps to play', now.steps > 0, now);
    await page.evaluate(check.openDetails);
    await check.accessibility(page, 'with an editor');
    await page.setViewport({ width: 390, height: 893 });
    for (const item of await page.evaluate(check.overflowing)) {
        say(`at 390 px the page scrolls sideways because of ${item}`);
    }
    await page.setViewport({ width: 1280, height: 893 });

    // Without its barrier both sides of the race are marked; one click shows the message.
    await write(page, '        __syncthreads()', '', { instead: true });
    now = await run(page);
    const race = await page.evaluate(inPage.found);
    expect('a race is not marked at its two sides', /data-race/.test(now.status) && race.words.length === 2 && /thread \d+/.test(race.message), [now, race]);

    // Whoever stops the compiler can go on.
    await write(page, '{', '// Another text.');
    await page.evaluate(inPage.pressRun);
    await page.evaluate(inPage.pressRun);
    now = await shown(page);
    expect('Stop does not stop the compiler', /^Stopped/.test(now.status), now);

    // A loop without an end is stopped.
    await write(page, '    for (', '    for (unsigned int stride = 1; stride < size; stride *= 1) {', { instead: true });
    now = await run(page);
    expect('a loop without an end is not stopped', /step-limit|stopped/.test(now.status), now);

    // Nothing from the code becomes markup.
    await write(page, '{', 'int <img src=x onerror=alert(1)>;');
    now = await run(page);
    expect('code becomes markup', now.result.includes('<img src=x') && !now.images, now);

    await press(page, 'Diff');
    now = await shown(page);
    expect('Diff does not show what was written', /^\+ +int <img/m.test(now.diff) && /^- +for \(/m.test(now.diff) && /^\+ +for \(/m.test(now.diff), now.diff);

    // A link shows the code, and runs nothing.
    const address = await page.evaluate(inPage.link);
    const { code } = await shown(page);
    await shares(check, page, say, address, code);

    // Coming back.
    await page.reload({ waitUntil: 'load' });
    await page.waitForSelector('.listing.edited', { timeout: PATIENCE }).catch(() => say('a reload loses the edit'));
    await edit(page);
    now = await shown(page);
    expect('a reload brings back another edit', now.code === code && now.note.includes('your kernel'), now);

    await press(page, 'Reset');
    await press(page, 'Close');
    await page.evaluate(inPage.resetCell);
    await page.evaluate(check.openDetails);
    expect('Reset leaves something', (await page.evaluate(inPage.text)) === untouched && !(await page.evaluate(inPage.keeps)), await shown(page));
}

async function shares(check, page, say, address, code) {
    const other = await check.another(page, true);
    other.current = STORY;
    await other.goto(address, { waitUntil: 'load' });
    await other.waitForSelector('.cm-content', { timeout: PATIENCE }).catch(() => {});
    const there = await shown(other);
    if (there.code !== code) {
        say(`a link does not show the code: ${JSON.stringify(there).slice(0, 300)}`);
    }
    if (there.result || other.workers().length) {
        say(`the code of a link runs by itself: ${there.status}`);
    }
    // Of one's own edit a link makes no end.
    await write(other, '{', '// My own.');
    const own = (await shown(other)).code;
    await other.goto('about:blank');
    await other.goto(address, { waitUntil: 'load' });
    await other.waitForSelector('.cm-content', { timeout: PATIENCE }).catch(() => {});
    await press(other, 'Back to my own edit');
    if ((await shown(other)).code !== own) {
        say(`a link takes the reader's own edit: ${JSON.stringify(await shown(other)).slice(0, 300)}`);
    }
    const cut = address.slice(0, -40);
    await other.goto('about:blank');
    await other.goto(cut, { waitUntil: 'load' });
    await other.waitForFunction(inPage.cannotRead, { timeout: PATIENCE }).catch(() => say('of a link that was cut off nothing is said'));
    await other.close();
}

/** The first listing that can be edited, compiled as it is but for a comment, runs as it does from the committed build. */
async function compiles(page, say) {
    await edit(page);
    await page.keyboard.sendCharacter('// Mine.\n');
    const started = Date.now();
    const now = await run(page);
    seconds.others.push((Date.now() - started) / 1000);
    if (!now.result) {
        say(`a kernel with a comment more has no result: ${now.status}`);
    }
    await press(page, 'Reset');
    await press(page, 'Close');
}

/** Everything that is asked of the editor on one page. */
async function checkEdits(check, page, origin, name, root) {
    const say = message => check.report(name, 'editor', message);
    const opened = Date.now();
    await page.emulateNetworkConditions(name === STORY ? LINE : null);
    await check.open(page, origin, name, 1280);
    if (!(await page.$('.listing > button'))) {
        return;
    }
    if (!fs.existsSync(path.join(root, 'live', 'compiler.js'))) {
        say('there is no compiler: live/compiler.js');
        return;
    }
    try {
        await (name === STORY ? story(check, page, say, opened) : compiles(page, say));
    } catch (error) {
        say(`${error.message}; then the page says ${JSON.stringify(await shown(page)).slice(0, 300)}`);
    }
}

const summary = () => [
    seconds.mended && `on a line of 20 Mbit/s the introduction's race is mended after ${seconds.mended.toFixed(1)} s`,
    seconds.others.length && `the first compile of another page takes up to ${Math.max(...seconds.others).toFixed(1)} s`,
].filter(Boolean).join('; ');

module.exports = { checkEdits, summary };
