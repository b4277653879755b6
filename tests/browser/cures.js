// What cures a reader's code, as a reader meets it: a listing, the notebook and a whole program that lack a
// barrier, of which the page says after its verdict what cures them, and puts that into the editor;
// `tests/browser/check` says what it needs.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/cures.js book/book

const inPage = require('./edits_in_page.js');
const { drive, expect } = require('./drive.js');

const PATIENCE = 120_000;
const OFFER = '.cell-cure button';

const KERNEL = `__global__ void next(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    out[t] = s[(t + 32) % 64];
}
`;
const BARRIER = '    __syncthreads();\n    out[t] = s[(t + 32) % 64];';

const NOTEBOOK = `${KERNEL}//@ launch next<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
//@ expect 1 = i32:iota:32*32,iota*32`;

const PROGRAM = `#include <cstdio>
${KERNEL}int main()
{
    int *in, *out;
    cudaMallocManaged(&in, 64 * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(int));
    for (int i = 0; i < 64; i++) in[i] = i;
    next<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 64; i++) wrong += out[i] != (i + 32) % 64;
    printf("%d wrong\\n", wrong);
    cudaFree(in);
    cudaFree(out);
    return wrong != 0;
}`;

/** What stands in the place `where`: its code, what it says, what cures it. */
const shown = (page, where) => page.evaluate(where => {
    const text = selector => document.querySelector(`${where} ${selector}`)?.textContent ?? '';
    return {
        code: [...document.querySelectorAll(`${where} .cm-line`)].map(line => line.textContent).join('\n'),
        status: text('.card-status'),
        cures: [...document.querySelectorAll('.cell-cure')].map(cure => cure.textContent),
    };
}, where);

const isOk = ({ status }) => status.includes('ok: nothing is wrong');

async function chord(page, key) {
    await page.keyboard.down('Control');
    await page.keyboard.press(key);
    await page.keyboard.up('Control');
}

/** Runs what has the focus; what stands there then. */
async function run(page, where) {
    await chord(page, 'Enter');
    const ended = where => {
        const place = document.querySelector(where);
        const said = place.querySelector('.card-status').textContent;
        return /^(Done|It)/.test(said) && !said.endsWith('…') && !place.matches('.running')
            && !place.querySelector('.running');
    };
    await new Promise(done => setTimeout(done, 100));
    await page.waitForFunction(ended, { timeout: PATIENCE, polling: 20 }, where);
    return shown(page, where);
}

/** The code in `where` is run, cured by the button, run again, and put back by Undo. */
async function cured(page, where, what, { curedCode, isRight }) {
    const racy = await run(page, where);
    expect(`${what} races`, racy.status.includes('data-race') || racy.status.includes('error'), racy);
    expect(`${what} has a cure that was tried`,
        racy.cures.length === 1 && racy.cures[0].includes('(tried: then nothing is wrong)'), racy);
    if (racy.cures.length === 0) {
        return;
    }
    await page.evaluate(offer => document.querySelector(offer).click(), OFFER);
    await page.waitForFunction((where, code) =>
        [...document.querySelectorAll(`${where} .cm-line`)].map(line => line.textContent).join('\n')
        .includes(code), { timeout: PATIENCE }, where, curedCode);
    const right = await run(page, where);
    expect(`${what} is right with its cure`, isRight(right) && right.cures.length === 0, right);
    await page.focus(`${where} .cm-content`);
    await chord(page, 'z');
    const undone = await shown(page, where);
    // Of a long text an editor has only the lines that are in view.
    const isBack = !racy.code.includes(curedCode) && !undone.code.includes(curedCode)
        && undone.code.length > curedCode.length;
    expect(`Undo takes the cure of ${what} back`, isBack, [racy.code, undone.code]);
}

async function listing(page, origin) {
    await page.goto(`${origin}/ch3_blocks.html`, { waitUntil: 'load' });
    const { which, barrier } = await page.evaluate(inPage.barrier);
    await page.evaluate(inPage.edit, which);
    await page.waitForSelector('.cm-content', { timeout: PATIENCE });
    if (!barrier || !(await page.evaluate(inPage.select, barrier, true))) {
        expect('chapter 3 has no barrier to leave out', false, 'nothing was selected');
        return;
    }
    await page.keyboard.press('Backspace');
    await cured(page, '.workbench', 'a listing',
        { curedCode: '__syncthreads();', isRight: ({ status }) => /results? (is|are) right/.test(status) });
}

/** A chapter's whole program. */
async function card(page, origin) {
    const where = '#program-ch2_parallel';
    await page.goto(`${origin}/ch2_parallel.html`, { waitUntil: 'load' });
    await page.evaluate(card => (document.querySelector(card).open = true), where);
    await page.waitForSelector(`${where} .notebook-bar`, { timeout: PATIENCE });
    await page.evaluate(card => [...document.querySelectorAll(`${card} button`)].find(button =>
        button.textContent === 'Edit').click(), where);
    await page.waitForSelector(`${where} .cm-content`, { timeout: PATIENCE });
    if (!(await page.evaluate(inPage.select, '        __syncthreads();', true))) {
        expect('the program of chapter 2 has no barrier to leave out', false, 'nothing was selected');
        return;
    }
    await page.keyboard.press('Backspace');
    await cured(page, where, 'a program', { curedCode: '__syncthreads();', isRight: isOk });
}

/** Takes the place of all that the editor has. */
async function fill(page, where, text) {
    await page.focus(`${where} .cm-content`);
    await chord(page, 'a');
    await page.keyboard.sendCharacter(text);
}

async function notebook(page, origin) {
    await page.goto(`${origin}/appendix_simulate.html`, { waitUntil: 'load' });
    await page.waitForSelector('.notebook-edit', { timeout: PATIENCE });
    const cell = '.notebook-cell';
    for (const [what, text] of [['a cell', NOTEBOOK], ['a program in a cell', PROGRAM]]) {
        await page.evaluate(() => document.querySelector('.notebook-edit').click());
        await page.waitForSelector(`${cell} .cm-content`, { timeout: PATIENCE });
        await fill(page, cell, text);
        await cured(page, cell, what, { curedCode: BARRIER, isRight: isOk });
    }
}

/** A slip that only the result shows is found by trying, too. */
async function slip(page) {
    const where = '.notebook-cell';
    await fill(page, where, NOTEBOOK.replace('    out[t]', '    __syncthreads();\n    if (t > 0) out[t]'));
    const wrong = await run(page, where);
    const [cure] = wrong.cures;
    expect('a slip is found by trying', wrong.status.includes('not as expected') && wrong.cures.length === 1
        && cure.includes('t >= 0') && cure.includes('then the result is as expected'), wrong);
}

/** Stop ends the tries, and the verdict stays. */
async function stopped(page) {
    const where = '.notebook-cell';
    await fill(page, where, NOTEBOOK.replace('iota*64', 'iota:1*64').replace(/\n\/\/@ expect.*/, ''));
    await chord(page, 'Enter');
    // In the page: an answer that comes meanwhile would make the press a new run.
    const stopsTrying = where => {
        const place = document.querySelector(where);
        const isTrying = place.querySelector('.card-status').textContent.includes('Trying edits');
        if (isTrying) {
            place.querySelector('.card-run').click();
        }
        return isTrying;
    };
    await page.waitForFunction(stopsTrying, { timeout: PATIENCE, polling: 'raf' }, where);
    await new Promise(done => setTimeout(done, 3000));
    const now = await page.evaluate(where => ({
        status: document.querySelector(`${where} .card-status`).textContent,
        out: document.querySelector(`${where} .notebook-out`).textContent,
        cures: document.querySelectorAll('.cell-cure').length,
    }), where);
    expect('Stop ends the tries', now.status === 'Stopped.' && now.cures === 0
        && now.out.includes('data-race'), now);
}

drive('cures', 'listings, cells and programs are cured by what the page has tried, and Undo takes it back',
    async (browser, origin) => {
    const page = await browser.newPage();
    await listing(page, origin);
    await card(page, origin);
    await notebook(page, origin);
    await slip(page);
    await stopped(page);
});
