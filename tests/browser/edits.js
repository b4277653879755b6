// Drives the editor of the introduction as a stranger would: break the kernel, mend it, without the network
// too, come back, share it, take it along, give it up; and breaks a kernel of every other page that has an
// editor. `check` is what check.js lends.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const inPage = require('./edits_in_page.js');

const PATIENCE = 120_000;

/** The page of the whole story; the others compile one listing. */
const STORY = 'introduction.html';

/** The line of a stranger who opens it: 20 Mbit/s. */
const LINE = { download: 20e6 / 8, upload: 5e6 / 8, latency: 20 };

/** Seconds from opening the introduction until its race is mended, all downloads and a try with a misspelt
    name among them; of every other first compile. */
const seconds = { mended: NaN, others: [] };

const idle = page => page.waitForFunction(inPage.idle, { timeout: PATIENCE, polling: 20 });
const press = async (page, name) => page.evaluate(inPage.press, name);
const shown = page => page.evaluate(inPage.shown);

async function edit(page, which = 0) {
    await page.evaluate(inPage.edit, which);
    await page.waitForSelector('.cm-content', { timeout: PATIENCE });
}

/** Puts the cursor behind the first line of the editor that begins with `begins`, or selects the line, and
    writes. */
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

async function chord(page, modifier, key) {
    await page.keyboard.down(modifier);
    await page.keyboard.press(key);
    await page.keyboard.up(modifier);
}

async function run(page) {
    await chord(page, 'Control', 'Enter');
    await idle(page);
    return shown(page);
}

const expecting = say => (what, is, now) => is || say(`${what}: ${JSON.stringify(now).slice(0, 600)}`);

/** With everything that can be opened. */
async function looksWell(check, page, say, where) {
    await page.evaluate(check.openDetails);
    for (const item of await page.evaluate(check.overflowing)) {
        say(`${where} the page scrolls sideways because of ${item}`);
    }
    for (const item of await page.evaluate(inPage.smallTargets)) {
        say(`${where} this is hard to hit: ${item}`);
    }
    // Last, since a theme's style sheet takes a moment to come.
    await check.accessibility(page, `with an editor ${where}`);
}

/** Whoever has no mouse gets in and out of the editor, searches and goes on. */
async function byKeyboard(page, expect) {
    await page.evaluate(inPage.select, '{', false);
    await page.keyboard.press('End');
    await page.keyboard.press('Tab');
    let now = await shown(page);
    expect('Tab does not indent', /^\{ {3}$/m.test(now.code) && now.focus === 'the code', now);
    await chord(page, 'Control', 'z');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    now = await shown(page);
    expect('Escape, then Tab does not lead to the mark', now.focus === 'warning', now.focus);
    await page.keyboard.press('Tab');
    now = await shown(page);
    expect('Tab does not lead from the mark to what is below', now.focus === 'Run', now.focus);
    await page.focus('.cm-content');
    await chord(page, 'Control', 'f');
    await page.keyboard.type('stride <');
    await page.keyboard.press('Enter');
    now = await shown(page);
    expect('the search does not find', now.selected === 'stride <', now);
    await page.keyboard.press('Escape');
    now = await shown(page);
    expect('Escape does not lead from the search to the code', now.focus === 'the code', now.focus);
}

async function story(check, page, say, opened, compiler) {
    const expect = expecting(say);
    const untouched = await page.evaluate(inPage.text);
    await edit(page);
    let now = await shown(page);
    expect('the editor does not number the lines as the file does', now.numbers[0] === String(now.first),
        now);

    // A misspelt name stands at its line.
    await write(page, '        }', '__syncthread();');
    await page.evaluate(inPage.listen);
    now = await run(page);
    const heard = await page.evaluate(() => window.heard);
    expect('a screen reader says too much', heard.length > 3 && heard.length < 20, heard);
    const { line } = await page.evaluate(inPage.found);
    expect('a misspelt name is not an error at its line',
        /does not compile: 1 error, line (\d+)/.exec(now.status)?.[1] === line
        && now.result.includes('__syncthread'), [now, line]);
    expect('it does not say which compiler refuses', now.result.includes(`${compiler} says:`), now.result);
    expect('the command does not say that the edit is not on disk', now.note.includes('your kernel'), now);

    // Mended; what the compiler warns of stands at its line.
    await write(page, '        __syncthread()', '        __syncthreads(); int unused;', { instead: true });
    now = await run(page);
    seconds.mended = (Date.now() - opened) / 1000;
    await page.emulateNetworkConditions(null);
    expect('the mended race is not right',
        /the result is right/.test(now.status) && /recorded.*yours/s.test(now.result), now);
    expect('it does not say which compiler it was', now.result.includes(`compiled by ${compiler}`),
        now.result);
    const warning = await page.evaluate(inPage.found);
    expect('a warning is not at its line',
        `${warning.words}` === 'warning' && warning.line === line && /says:.*unused/s.test(now.result),
        [now, warning]);
    expect('the mended kernel is still “kept to show” its race', !now.result.includes('kept to show'), now);
    expect('a mended run has no steps to play', now.steps > 0, now);
    await byKeyboard(page, expect);

    // Without its barrier both sides of the race are marked; one click shows the message.
    await write(page, '        __syncthreads()', '', { instead: true });
    now = await run(page);
    const race = await page.evaluate(inPage.found);
    expect('a race is not marked at its two sides',
        /data-race/.test(now.status) && race.words.length === 2 && /thread \d+/.test(race.message),
        [now, race]);
    expect('the first finding is not open with its help', /Help: \w/.test(race.message), race);
    await press(page, 'Diff');
    await page.focus('.cm-content');
    await chord(page, 'Control', 'f');
    await looksWell(check, page, say, 'at 1280 px');
    await page.keyboard.press('Escape');

    // What has compiled once needs no network.
    await page.setOfflineMode(true);

    // Whoever stops the compiler can go on.
    await write(page, '{', '// Another text.');
    await page.evaluate(inPage.pressRun);
    await page.evaluate(inPage.pressRun);
    now = await shown(page);
    expect('Stop does not stop the compiler', /^Stopped/.test(now.status), now);

    // A loop without an end is stopped.
    await write(page, '    for (', '    for (unsigned int stride = 1; stride < size; stride *= 1) {',
        { instead: true });
    now = await run(page);
    expect('a loop without an end is not stopped', /step-limit|stopped/.test(now.status), now);
    expect('a run that was stopped says that its numbers are as recorded', !/as recorded/.test(now.result),
        now);

    // Nothing from the code becomes markup.
    await write(page, '{', 'int <img src=x onerror=alert(1)>;');
    now = await run(page);
    expect('code becomes markup', now.result.includes('<img src=x') && !now.images, now);

    now = await shown(page);
    expect('Diff does not show what was written',
        /^\+ +int <img/m.test(now.diff) && /^- +for \(/m.test(now.diff) && /^\+ +for \(/m.test(now.diff),
        now.diff);

    const file = await downloaded(page, 'ch2_parallel.cu');
    expect('Download does not give the file',
        file.startsWith('//') && file.includes('\n    int <img ')
        && file.includes('ANCHOR: reduceNeighbored\n'), file);
    await page.setOfflineMode(false);

    // A link shows the code, and runs nothing.
    const address = await page.evaluate(inPage.link);
    const { code } = await shown(page);
    await shares(check, page, say, address, code);

    // Coming back.
    await page.reload({ waitUntil: 'load' });
    await page.waitForSelector('.listing.edited', { timeout: PATIENCE })
        .catch(() => say('a reload loses the edit'));
    await edit(page);
    now = await shown(page);
    expect('a reload brings back another edit', now.code === code && now.note.includes('your kernel'), now);

    await press(page, 'Reset');
    await press(page, 'Close');
    await page.evaluate(inPage.resetCell);
    await page.evaluate(check.openDetails);
    expect('Reset leaves something', (await page.evaluate(inPage.text)) === untouched, await shown(page));
    expect('Reset gives up the edit', await page.evaluate(inPage.keeps), await shown(page));
}

/** What Download saves as `name`. */
async function downloaded(page, name) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'browser-download-'));
    try {
        await (await page.createCDPSession()).send('Page.setDownloadBehavior',
            { behavior: 'allow', downloadPath: folder });
        await press(page, 'Download');
        for (let tries = 0; tries < 100 && !fs.existsSync(path.join(folder, name)); tries++) {
            await new Promise(done => setTimeout(done, 50));
        }
        return fs.readFileSync(path.join(folder, name), 'utf8');
    } finally {
        fs.rmSync(folder, { recursive: true });
    }
}

async function shares(check, page, say, address, code) {
    const other = await check.another(page, true);
    other.current = STORY;
    await other.setViewport({ width: 390, height: 893 });
    await other.goto(address, { waitUntil: 'load' });
    await other.waitForFunction(inPage.says, { timeout: PATIENCE }).catch(() => {});
    const there = await shown(other);
    if (there.code !== code) {
        say(`a link does not show the code: ${JSON.stringify(there).slice(0, 300)}`);
    }
    if (!/It runs when you press Run/.test(there.status) || there.result || other.workers().length) {
        say(`the code of a link runs by itself: ${there.status}`);
    }
    await press(other, 'Diff');
    await looksWell(check, other, say, 'at 390 px');
    // Of one's own edit a link makes no end.
    await write(other, '{', '// My own.');
    const own = (await shown(other)).code;
    // Two in a row: the second must not take the first one for the reader's.
    for (let links = 0; links < 2; links++) {
        await other.goto('about:blank');
        await other.goto(address, { waitUntil: 'load' });
        await other.waitForSelector('.cm-content', { timeout: PATIENCE }).catch(() => {});
    }
    await press(other, 'Bring back');
    if ((await shown(other)).code !== own) {
        say(`a link takes the reader's own edit: ${JSON.stringify(await shown(other)).slice(0, 300)}`);
    }
    const cut = address.slice(0, -40);
    await other.goto('about:blank');
    await other.goto(cut, { waitUntil: 'load' });
    await other.waitForFunction(inPage.says, { timeout: PATIENCE }).catch(() => {});
    const { status } = await shown(other);
    if (!/cannot be read/.test(status)) {
        say(`of a link that was cut off it says “${status}”`);
    }
    await other.close();
}

/** Of the first listing with a barrier: misspelt it does not compile, left out it is a race, and put back all
    is well. Where no listing has one, what has a comment more runs. */
async function breaks(page, say) {
    const expect = expecting(say);
    const { which, barrier } = await page.evaluate(inPage.barrier);
    await edit(page, which);
    const misspelt = barrier?.replace('__syncthreads', '__syncthread');
    await (barrier ? write(page, barrier, misspelt, { instead: true })
        : page.keyboard.sendCharacter('// Mine.\n'));
    const started = Date.now();
    let now = await run(page);
    seconds.others.push((Date.now() - started) / 1000);
    if (barrier) {
        expect('a misspelt barrier is not an error',
            /does not compile: 1 error/.test(now.status) && now.found, now);
        await write(page, misspelt, '// None.', { instead: true });
        now = await run(page);
        expect('without its barrier it has no race', /data-race/.test(now.status) && now.found, now);
        const { doubled } = await page.evaluate(inPage.found);
        expect('a line is marked several times with the same words', doubled === 0, doubled);
        await write(page, '// None.', barrier, { instead: true });
        now = await run(page);
    }
    expect('with what it needs it has no result, or something is wrong with it', now.result && !now.found,
        now);
    const silent = await page.evaluate(inPage.silentWhatIfs);
    expect('a what-if is switched off and does not say why', silent.length === 0, silent);
    await press(page, 'Reset');
    await press(page, 'Close');
}

/** Everything that is asked of the editor on one page. */
async function checkEdits(check, page, origin, name, root) {
    const say = message => check.report(name, 'editor', message);
    const opened = Date.now();
    await page.emulateNetworkConditions(name === STORY ? LINE : null);
    await page.evaluate(() => sessionStorage.clear()); // what the cells' own test has run is shown no more
    await check.open(page, origin, name, 1280);
    if (!(await page.$('.listing > button'))) {
        return;
    }
    if (!fs.existsSync(path.join(root, 'live', 'compiler.js'))) {
        say('there is no compiler: live/compiler.js');
        return;
    }
    try {
        const { version } = JSON.parse(fs.readFileSync(path.join(root, 'live', 'clang', 'clang.json'),
            'utf8'));
        await (name === STORY ? story(check, page, say, opened, `clang ${version}`) : breaks(page, say));
    } catch (error) {
        say(`${error.message}; then the page says ${JSON.stringify(await shown(page)).slice(0, 300)}`);
    }
}

const summary = () => [
    seconds.mended
        && `on a line of 20 Mbit/s the introduction's race is mended after ${seconds.mended.toFixed(1)} s`,
    seconds.others.length
        && `the first compile of another page takes up to ${Math.max(...seconds.others).toFixed(1)} s`,
].filter(Boolean).join('; ');

module.exports = { checkEdits, summary };
