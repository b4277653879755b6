// Drives the notebook as a reader would: runs its example, mends it, writes a kernel of their own, moves
// cells about, takes the file along and brings it back, and runs it in a terminal. `check` is what check.js
// lends.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { deflateRawSync } = require('node:zlib');
const { pathToFileURL } = require('node:url');
const inPage = require('./notebook_in_page.js');
const { lead, select } = require('./edits_in_page.js');

const PAGE = 'appendix_simulate.html';
const PATIENCE = 120_000;
/** What nobody fetches before they edit or run. */
const HEAVY = /\/live\/(clang|vendor|editor|workbook\.wasm|worker)/;

const GREETING = `#include <cstdio>
__global__ void greet(int n) { printf("hello %d\\n", n + threadIdx.x); }
//@ launch greet<<<1, 2>>> i32:7`;

const PROGRAM = `#include <iostream>
#include <vector>
__global__ void fill(int *p, int n) { if (threadIdx.x <= n) p[threadIdx.x] = 7; }
int main()
{
    std::vector<int> host(32);
    int *p;
    cudaMalloc(&p, 32 * sizeof(int));
    fill<<<1, 32>>>(p, 31);
    cudaMemcpy(host.data(), p, 32 * sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << "last " << host[31] << std::endl;
    std::cerr << "to stderr" << std::endl;
    cudaFree(p);
}`;

const shown = page => page.evaluate(inPage.shown);
const idle = page => page.waitForFunction(inPage.idle, { timeout: PATIENCE, polling: 20 });

/** Presses a button of a cell, or of the whole notebook. */
async function press(page, text, cell) {
    await page.evaluate(inPage.press, text, cell ?? null);
    await idle(page);
    return shown(page);
}

/** Puts `text` behind, or in the place of, the first line that begins with `begins`. */
async function write(page, begins, text, { instead = false } = {}) {
    if (!(await page.evaluate(select, begins, instead))) {
        throw new Error(`no line begins with “${begins}”`);
    }
    if (!instead) {
        await page.keyboard.press('End');
        await page.keyboard.press('Enter');
    }
    await page.keyboard.sendCharacter(text);
}

/** Writes all of a cell, and runs it by the keyboard. */
async function fill(page, cell, text) {
    const withControl = async key => {
        await page.keyboard.down('Control');
        await page.keyboard.press(key);
        await page.keyboard.up('Control');
    };
    await page.waitForFunction(inPage.hasEditor, { timeout: PATIENCE, polling: 20 }, cell);
    await page.evaluate(inPage.focus, cell);
    await withControl('a');
    await page.keyboard.sendCharacter(text);
    await withControl('Enter');
    await idle(page);
    return shown(page);
}

/** What a terminal prints for the file, with the page's command, if a clang is here. */
function terminal(say, source, command) {
    if (!process.env.CLANG) {
        console.log('no CLANG: the notebook is not run in a terminal');
        return undefined;
    }
    const program = path.join(__dirname, '../../target/debug/examples/simulate');
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'notebook-'));
    fs.writeFileSync(path.join(folder, 'notebook.cu'), source);
    const { stdout, stderr, error } = spawnSync(program, command.split(' -- ')[1].split(' '),
        { cwd: folder, encoding: 'utf8', env: { ...process.env, NVCC: '' } });
    fs.rmSync(folder, { recursive: true });
    if (error || stderr) {
        say(`${command} in a terminal: ${error ?? stderr}`);
    }
    return stdout;
}

async function story(check, page, say, origin) {
    const expect = (what, is, now) => is || say(`${what}: ${JSON.stringify(now).slice(0, 800)}`);

    // The example: a race, and both of its sides.
    let now = await press(page, 'Run', 0);
    expect('the race is not marked at its two sides',
        now.marks.includes('data-race') && now.marks.some(words =>
        /^thread \d+ .* reads it here/.test(words)), now);
    const led = await page.evaluate(lead);
    expect('no click leads to the other line of a race', /^Line \d+: .*thread.* leads to .*\[/.test(led),
        led);
    expect('the result has no buffers, drawing or steps',
        now.cells[0].tables === 3 && now.cells[0].plots === 1 && now.cells[0].steps > 0, now);

    // Mended.
    await write(page, '    // Missing', '__syncthreads();');
    expect('an edit leaves the result as if it were its own',
        /Changed/.test((await shown(page)).cells[0].status), await shown(page));
    now = await press(page, 'Run', 0);
    expect('the mended sum is not right',
        now.cells[0].status.endsWith('ok: nothing is wrong.') && /\b2016\b/.test(now.cells[0].result)
        && !now.marks.length, now);

    // A line of the script that is none.
    await write(page, '//@ launch', '//@ lanch sum<<<1, 64>>>', { instead: true });
    now = await press(page, 'Run', 0);
    expect('a wrong line of the script is not said at its line',
        /line 16\.$/.test(now.cells[0].status)
        && /16: `lanch` is not a step; write launch/.test(now.cells[0].result) && now.marks.includes('error'),
        now);
    await write(page, '//@ lanch', '//@ launch sum<<<1, 64>>> buf:i32:zeros*2^30 buf:i32:uninit*1',
        { instead: true });
    now = await press(page, 'Run', 0);
    expect('of a huge buffer nothing is said', /4,294,967,300 bytes together/.test(now.cells[0].result), now);
    await write(page, '//@ launch', '//@ launch sum<<<1, 64>>> buf:i32:iota*64 buf:i32:uninit*1',
        { instead: true });

    // A second cell, by the keyboard.
    await press(page, '+', 0);
    now = await fill(page, 1, GREETING);
    expect('a second cell does not run', /hello 7\s*hello 8/.test(now.cells[1].printed)
        && !/argument 0/.test(now.cells[1].result), now);
    expect('the lines of the second cell have not the numbers of the file', now.cells[1].first === '18', now);

    // As one file, which a terminal runs.
    const source = await page.evaluate(inPage.exported);
    expect('the export is not the notebook', source === `${now.cells[0].code}\n// %%\n${GREETING}`, source);
    const said = terminal(say, source, now.cells[1].command);
    expect('a terminal says something else', said === undefined || said === now.cells[1].terminal,
        [said, now.cells[1].terminal]);

    // A cell as a program for nvcc.
    const program = await page.evaluate(inPage.exported, 'Export as a program', 1);
    await idle(page);
    expect('a cell is not exported as a program',
        program.includes('int main()') && program.includes('    greet<<<1, 2>>>(7);\n')
        && !program.includes('//@'), program);
    now = await shown(page);
    expect('the name of the exported program is not said',
        /notebook_cell2\.cu is a program/.test(now.cells[1].status), now);

    // Cells move, go, and come back.
    now = await press(page, '↑', 1);
    expect('a cell does not move', now.cells[0].code === GREETING && now.cells[0].first === '1'
        && now.cells[1].first === '5', now);
    now = await press(page, 'Remove', 0);
    expect('a cell is not removed', now.cells.length === 1 && now.cells[0].first === '1', now);
    await press(page, 'Put the removed cell back');
    now = await press(page, '↓', 0);
    expect('a removed cell does not come back',
        `${now.cells[0].code}\n// %%\n${now.cells[1].code}` === source, now);

    await page.evaluate(check.openDetails);
    await check.accessibility(page, 'the notebook');
    for (const item of await page.evaluate(check.scrollers)) {
        say(item);
    }
    await page.setViewport({ width: 390, height: 893 });
    for (const item of await page.evaluate(check.overflowing)) {
        say(`at 390 px the page scrolls sideways because of ${item}`);
    }
    await page.setViewport({ width: 1280, height: 893 });

    // Another file, and back.
    const file = path.join(os.tmpdir(), `notebook-${process.pid}.cu`);
    fs.writeFileSync(file, `${source}\r\n// %% more\r\nint unused;\r\n`);
    await (await page.$('#notebook input[type="file"]')).uploadFile(file);
    await page.waitForFunction(count => document.querySelectorAll('.notebook-cell').length === count,
        { timeout: PATIENCE }, 3);
    fs.rmSync(file);
    now = await shown(page);
    expect('an imported file is not shown',
        now.cells[2].name === 'Cell 3 · more' && now.cells[2].code === 'int unused;' && !now.cells[0].result,
        now);
    now = await press(page, 'Run', 2);
    expect('a cell without a launch is not compiled', /^It compiles/.test(now.cells[2].status), now);
    now = await press(page, 'Bring back');
    expect('the notebook before an import is lost', now.cells.length === 2, now);

    // A whole program, in a cell of its own.
    await press(page, '+', 1);
    now = await fill(page, 2, PROGRAM);
    expect('a program does not run', now.cells[2].status.endsWith('ok: nothing is wrong.')
        && /stdout:last 7\s*The program printed to stderr:to stderr/.test(now.cells[2].result), now);
    expect('a program has no table of its kernels',
        now.cells[2].tables === 1 && /fill/.test(now.cells[2].result), now);
    now = await fill(page, 2, PROGRAM.replace('<<<1, 32>>>', '<<<1, 64>>>').replace('31);', '32);'));
    expect('what is wrong with a program is not marked',
        now.marks.includes('out-of-bounds') && now.cells[2].status.includes('1 error'), now);
    now = await fill(page, 2, PROGRAM.replace('int *p;', 'int *q;'));
    expect('a program that does not compile is not said',
        /^It does not compile: /.test(now.cells[2].status) && now.marks.includes('error'), now);
    await press(page, 'Remove', 2);

    await shares(check, page, say, source);
    await bounds(check, page, say);
    await typesAtOnce(check, page, say);
    await showsText(check, page, say);
    await drawsPictures(check, page, say);

    // Coming back.
    await page.reload({ waitUntil: 'load' });
    await page.waitForSelector('.notebook-cell', { timeout: PATIENCE });
    expect('a reload loses the notebook', (await page.evaluate(inPage.exported)) === source,
        await shown(page));

    // Whoever stops the compiler can go on; what has no end is stopped; nothing from the code becomes markup.
    await press(page, 'Edit', 0);
    await page.waitForSelector('.cm-content', { timeout: PATIENCE });
    await page.evaluate(inPage.pressTwice);
    await page.waitForFunction(inPage.stopped, { timeout: PATIENCE })
        .catch(() => say('Stop does not stop a run'));
    now = await fill(page, 0, '__global__ void count(char *p) { p[threadIdx.x] = threadIdx.x; }\n//@ ' +
        'launch count<<<1, 4>>> buf:i8:uninit*4\n//@ save 0 = mine.bin');
    expect('what is saved cannot be downloaded', (await page.evaluate(inPage.saved)) === 'mine.bin: 0,1,2,3',
        now);
    for (const name of ['notebook.ptx', 'shown.json', 'notebook.cu']) {
        const kernel = '__global__ void count(char *p) { p[threadIdx.x] = threadIdx.x; }';
        now = await fill(page, 0,
            `${kernel}\n//@ launch count<<<1, 4>>> buf:i8:uninit*4\n//@ save 0 = ${name}`);
        const saved = await page.evaluate(inPage.saved);
        expect(`what is saved as ${name} is not given under its name`, saved === `${name}: 0,1,2,3`, now);
    }
    now = await fill(page, 0, '__global__ void spin(volatile int *p) { while (*p == 0) *p = 0; }\n//@ ' +
        'launch spin<<<1, 1>>> buf:i32:0');
    expect('a loop without an end is not stopped', /deadlock/.test(now.cells[0].result), now);
    now = await fill(page, 0, 'int <img src=x onerror=alert(1)>;');
    expect('code becomes markup', /does not compile: \d+ errors?, line 1\.$/.test(now.cells[0].status)
        && now.cells[0].result.includes('<img src=x') && !now.images, now);

    now = await press(page, 'Reset');
    expect('Reset does not bring the example', now.cells.length === 1 && /Missing/.test(now.cells[0].code),
        now);
    now = await press(page, 'Bring back');
    expect('Reset loses the notebook', now.cells[0].code.includes('<img'), now);
    await without(check, page, say, origin);
}

async function shares(check, page, say, source) {
    const address = await page.evaluate(inPage.link);
    const other = await check.another(page, true);
    other.current = PAGE;
    const visit = async to => {
        await other.goto('about:blank');
        await other.goto(to, { waitUntil: 'load' });
        await other.waitForFunction(inPage.hasStatus, { timeout: PATIENCE })
            .catch(() => say('of a link nothing is said'));
        return shown(other);
    };
    let there = await visit(address);
    if ((await other.evaluate(inPage.exported)) !== source || there.cells.some(({ result }) => result)
        || other.workers().length) {
        say(`a link does not show the notebook, or runs it: ${JSON.stringify(there).slice(0, 300)}`);
    }
    await press(other, 'Edit', 0);
    await other.waitForSelector('.cm-content', { timeout: PATIENCE });
    await write(other, '{', '// My own.');
    await visit(address);
    there = await press(other, 'Bring back');
    if (!there.cells[0].code.includes('// My own.')) {
        say(`a link takes the reader's own notebook: ${JSON.stringify(there).slice(0, 300)}`);
    }
    there = await visit(address.slice(0, -40));
    if (!/cannot be read/.test(there.status)) {
        say(`of a link that was cut off is said: ${there.status}`);
    }
    await other.close();
}

/** Milliseconds that each answer of a slow network takes. */
const SLOW = 300;

/** Who types right after “+” loses no key, whether or not the editor is there yet. */
async function typesAtOnce(check, page, say) {
    const other = await anotherNotebook(check, page);
    await other.emulateNetworkConditions({ latency: SLOW, download: 1e6, upload: 1e6 });
    for (const [cell, when] of [[1, 'before the editor is there'], [2, 'with the editor there']]) {
        await other.evaluate(inPage.click, '+', cell - 1);
        await other.keyboard.type('int a;\nint b');
        await other.waitForFunction(inPage.hasEditor, { timeout: PATIENCE, polling: 20 }, cell);
        await other.keyboard.type('c;');
        const { cells } = await shown(other);
        if (cells.length !== cell + 1 || cells[cell].code !== 'int a;\nint bc;') {
            say(`typed right after “+” ${when}: ${JSON.stringify(cells.map(({ code }) => code))}`);
        }
    }
    await other.close();
}

const TEXT = `// # A heading with <img src=x onerror=alert(1)>
//
// One **strong** and one *soft* word, \`a*b*c\`, 2*3*4,
// [a page](ch2_parallel.html) and [a trap](javascript:alert(1)).
//
// - first
// - second
//   goes on
//
// 1. one
//
// \`\`\`
// <b>code</b>
// \`\`\``;

/** A page of its own with the notebook. */
async function anotherNotebook(check, page) {
    const other = await check.another(page, true);
    other.current = PAGE;
    await other.goto(page.url().split('#')[0], { waitUntil: 'load' });
    await other.waitForSelector('.notebook-cell', { timeout: PATIENCE });
    return other;
}

/** A cell of comments is text once it has run, and after a reload; what it is written as can be edited. */
async function showsText(check, page, say) {
    const other = await anotherNotebook(check, page);
    await press(other, '+', 0);
    await fill(other, 1, TEXT);
    const expect = async (what, is) => {
        const now = await other.evaluate(inPage.asText, 1);
        if (!is(now)) {
            say(`${what}: ${JSON.stringify(now).slice(0, 600)}`);
        }
    };
    const isText = ({ isShown, html }) => isShown && html === [
        '<h3>A heading with &lt;img src=x onerror=alert(1)&gt;</h3>',
        '<p>One <strong>strong</strong> and one <em>soft</em> word, <code>a*b*c</code>, 2*3*4,\n',
        '<a href="ch2_parallel.html" rel="noopener">a page</a> and [a trap](javascript:alert(1)).</p>',
        '<ul><li>first</li><li>second\n  goes on</li></ul>',
        '<ol><li>one</li></ol>',
        '<pre><code class="hljs">&lt;b&gt;code&lt;/b&gt;</code></pre>',
    ].join('');
    await expect('a cell of comments is not shown as text', isText);
    await other.reload({ waitUntil: 'load' });
    await other.waitForSelector('.notebook-cell', { timeout: PATIENCE });
    await expect('after a reload it is no text', isText);
    await other.evaluate(check.openDetails);
    await check.accessibility(other, 'the notebook with a text');
    await press(other, 'Edit', 1);
    await other.waitForFunction(inPage.hasEditor, { timeout: PATIENCE }, 1);
    await expect('Edit does not show what the text is written as',
        ({ isShown, code }) => !isShown && code === TEXT);
    await other.close();
}

const MATRIX = `__global__ void fill(int *p, int columns) {
    p[blockIdx.x * columns + threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
}
//@ buffer m = i32 4x6
//@ launch fill<<<3, 6>>> @m i32:6`;

/** A buffer of rows and columns is a picture, with its numbers where one points. */
async function drawsPictures(check, page, say) {
    const other = await anotherNotebook(check, page);
    await other.evaluate(() => document.querySelector('.notebook-edit').click());
    await other.waitForFunction(inPage.hasEditor, { timeout: PATIENCE }, 0);
    await fill(other, 0, MATRIX);
    const picture = await other.evaluate(inPage.picture);
    const wanted = { width: 6, height: 4, first: '0,0,0,255', last: '255,255,255,255', unwritten: '0,0,0,0' };
    if (!picture || JSON.stringify(picture.pixels) !== JSON.stringify(wanted)
        || !picture.caption.startsWith('4 rows of 6; black is 0, white 205.')) {
        say(`a matrix is not drawn: ${JSON.stringify(picture)} ` +
            `${JSON.stringify(await shown(other)).slice(0, 500)}`);
    } else {
        await other.focus('.buffer-picture > canvas');
        await other.keyboard.press('ArrowDown');
        await other.keyboard.press('ArrowRight');
        const read = () => other.$eval('.buffer-picture output', output => output.textContent);
        const byKeys = await read();
        const { x, y, width, height } = await (await other.$('.buffer-picture > canvas')).boundingBox();
        await other.mouse.move(x + width - 3, y + height - 3);
        const byPointer = await read();
        if (byKeys !== '[1][1] = 101' || byPointer !== '[3][5] = never written') {
            say(`the numbers of a picture: ${byKeys}; ${byPointer}`);
        }
        await check.accessibility(other, 'the notebook with a picture');
    }
    await other.close();
}

/** A notebook of 20,000 cells is not shown, wherever it comes from, and one that the browser keeps is not
    lost. */
async function bounds(check, page, say) {
    const many = Array.from({ length: 20_000 }, () => '// %%').join('\n');
    const code = deflateRawSync(JSON.stringify({ file: 'notebook.cu', source: many }), { level: 9 })
        .toString('base64url');
    const other = await check.another(page, true);
    other.current = PAGE;
    const visit = async hash => {
        await other.goto('about:blank');
        await other.goto(`${page.url().split('#')[0]}${hash}`, { waitUntil: 'load' });
        await other.waitForFunction(inPage.hasStatus, { timeout: PATIENCE })
            .catch(() => say('of a notebook that is too large nothing is said'));
        return shown(other);
    };
    let there = await visit(`#notebook&code=${code}`);
    if (there.cells.length !== 1 || !/20,000 cells; a notebook has at most 200/.test(there.status)) {
        say(`a link with 20,000 cells: ${there.cells.length} cells, “${there.status}”`);
    }
    await other.evaluate(source => localStorage.setItem('workbook-notebook',
        JSON.stringify({ source, removed: [], others: [] })), many);
    there = await visit('');
    if (there.cells.length !== 1 || !/keeps a notebook of yours with 20,000 cells/.test(there.status)) {
        say(`20,000 cells that the browser keeps: ${there.cells.length} cells, “${there.status}”`);
    }
    await press(other, '+', 0);
    const large = await other.evaluate(() => Object.entries(localStorage)
        .filter(([key]) => key.startsWith('workbook-large-notebooks '))
        .map(([, text]) => JSON.parse(text).text));
    if (large[0] !== many) {
        say('a notebook that is too large is lost when another one is edited');
    }
    await other.close();
}

/** Without scripts, and from a file, the recorded text stands there. */
async function without(check, page, say, origin) {
    const plain = await check.plain();
    plain.current = PAGE;
    const root = path.resolve(process.argv[2]);
    for (const [where, address] of [['without scripts', `${origin}/${PAGE}`],
        ['opened as a file', pathToFileURL(path.join(root, PAGE)).href]]) {
        await plain.setJavaScriptEnabled(where === 'opened as a file');
        await plain.goto(address, { waitUntil: 'load' });
        const text = await plain.$eval('#notebook', notebook => notebook.textContent);
        if (!/void sum/.test(text) || !/mdbook serve/.test(text)) {
            say(`${where}: ${text.slice(0, 200)}`);
        }
    }
    await plain.close();
}

/** Everything that is asked of the notebook, if `name` is its page. */
async function checkNotebook(check, page, origin, name) {
    if (name !== PAGE) {
        return;
    }
    const say = message => check.report(name, 'notebook', message);
    const early = [];
    const watch = request => HEAVY.test(request.url()) && early.push(request.url());
    page.on('request', watch);
    await check.open(page, origin, name, 1280);
    await page.waitForSelector('.notebook-cell', { timeout: PATIENCE });
    page.off('request', watch);
    if (early.length) {
        say(`fetched before anybody edits or runs: ${early}`);
    }
    try {
        await story(check, page, say, origin);
    } catch (error) {
        say(`${error.message}; then the page says ${JSON.stringify(await shown(page)).slice(0, 500)}`);
    }
}

module.exports = { PAGE, checkNotebook };
