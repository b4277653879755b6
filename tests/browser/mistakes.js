// Makes the mistakes of a beginner in each kind of card, a listing, the cell that runs it, an exercise and a
// cell of the notebook, and sees that all say the same of them, at the line that is wrong; and that with all
// that a card can show in view nothing is wrong with the page. `check` is what check.js lends.

const { lead } = require('./edits_in_page.js');
const inPage = require('./mistakes_in_page.js');

const PATIENCE = 60_000;
const WIDTHS = [1280, 390];
/** Seconds within which a card says what is wrong, on a busy machine that fetches the compiler the first
    time. */
const MOST_SECONDS = 30;

/** What is typed into every card: a sum in place, of which each kind of card wants another name, and some
    more. */
const kernel = (name, first = '') => `#include <cstdio>
extern "C" __global__ void ${name}(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
${first}    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            unsigned int other = g_data[tid + stride];
            g_data[tid] += other;
        }
        __syncthreads();
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
`;
const SQUARES = `    if (tid < size) {
        g_data[tid] *= g_data[tid];
    }
    __syncthreads();
`;
/** The notebook's buffers have the names that the reader gives them. */
const LAUNCH = `//@ buffer numbers = u32:iota*64
//@ launch sum<<<1, 64>>> @numbers buf:u32:uninit*1 u32:64
`;

/** The cards. `edit`: the button that opens the editor; `run`: the button, where there is no editor. `data`:
    what the buffer is called. The cell runs what has been typed into the listing above it. */
const CARDS = [
    { kind: 'listing', page: 'introduction.html', at: '.workbench', edit: '.listing > button',
        name: 'reduceNeighboredNoBarrier', data: 'g_data' },
    { kind: 'cell', page: 'introduction.html', at: '.cell[data-live]', run: '.cell[data-live] form .card-run',
        name: 'reduceNeighboredNoBarrier', data: 'g_data' },
    { kind: 'exercise', page: 'ch2_parallel.html', at: '#exercise-2-1',
        edit: '#exercise-2-1 .exercise-bar .card-run + button', name: 'sumOfSquares', first: SQUARES,
        data: 'g_data' },
    { kind: 'notebook', page: 'appendix_simulate.html', at: '.notebook-cell', edit: '.notebook-edit',
        name: 'sum', behind: LAUNCH, data: 'numbers' },
];

const PAGES = [...new Set(CARDS.map(({ page }) => page))];

const HEAD = '(unsigned int *g_data, unsigned int *g_odata, unsigned int size)';
const ADD = 'g_data[tid] += other;';
/** In the notebook the launch is the reader's own, and may be what is wrong. */
const AT_LAUNCH = '//@ launch sum';

/** The edit, what the marked line has in it, and what is said: N is any number, KERNEL and DATA are the
    card's. Where a card says it otherwise, its kind has what it says; nothing, if there it is no mistake.
    `status`: what the card's status has in it, `wrongStatus`: and what it has not. */
const MISTAKES = [
    {
        name: 'the kernel is renamed', from: /void \w+/, to: 'void another', at: 'void another(',
        says: 'The host launches a kernel named KERNEL, and the file has another. Give the kernel its name ' +
            'back, with extern "C" before it.',
        notebook: { at: AT_LAUNCH, says: 'no kernel is named sum; there are: another' },
    },
    {
        name: 'extern "C" is dropped', from: 'extern "C" ', to: '', at: '__global__ void',
        says: 'The host launches a kernel named KERNEL, and without extern "C" the compiler gives it ' +
            'another name. Put extern "C" before __global__.',
        notebook: null,
    },
    {
        name: 'a parameter is dropped', from: HEAD, to: '(unsigned int *g_data, unsigned int size)',
        at: 'unsigned int size)',
        more: code => code.replace('*g_odata =', '*g_data ='),
        says: `The host launches KERNEL with (address, address, 4-byte number), and the kernel takes ` +
            `(unsigned int *g_data, unsigned int size). Give it back the parameters that it had: ${HEAD}.`,
        notebook: { at: AT_LAUNCH, says: 'sum takes 2 arguments, 3 were given' },
    },
    {
        name: 'two parameters change places', from: HEAD,
        to: '(unsigned int *g_odata, unsigned int *g_data, unsigned int size)',
        at: '*g_odata, unsigned int *g_data',
        says: `g_odata and g_data have changed places: the host launches KERNEL with ${HEAD}. Give the ` +
            `parameters this order back.`,
        notebook: null,
    },
    { name: 'an index is too large', from: 'g_data[tid + stride]', to: 'g_data[tid + size]', at: 'other =',
        says: 'a load of 4 bytes at `DATA[N]`, and `DATA` has N elements' },
    { name: 'a } is missing', from: `${ADD}\n        }`, to: ADD, at: 'tid + stride < size) {',
        says: 'a } is missing: nothing closes the { of this line' },
    { name: 'std::min', from: ADD, to: 'g_data[tid] += std::min(other, 3u);', at: 'std::min',
        says: 'there is no standard library on the device here; use min()' },
    {
        name: '<vector>', from: '<cstdio>', to: '<vector>', at: '<vector>',
        says: 'there is no standard library on the device here; leave <vector> out: a kernel works on ' +
            'arrays and pointers',
    },
    { name: 'a null pointer', from: ADD, to: 'int *p = 0; *p = 1;', at: '*p = 1',
        says: 'a store of 4 bytes at address 0x0, through a null pointer' },
    { name: 'a kernel prints 40,000 lines', from: '*g_odata =',
        to: 'for (int i = 0; i < 40000; i++) printf("line %d\\n", i);\n        *g_odata =',
        prints: '… these are the first 100 of 40,000 lines' },
    { name: 'a loop does not end', from: 'stride *= 2', to: 'stride *= 1', at: /stride|other|syncthreads/,
        says: 'a loop does not end: ' },
    {
        name: 'a loop no longer changes, beside what is never used', from: ADD,
        to: 'unsigned int d = 32; while (d != 1000) { g_data[tid] += d; d /= 2; }',
        at: 'while (d != 1000)', says: 'a loop does not end: no way leads out of it',
        helps: 'look at the condition that ends the loop',
    },
    {
        name: 'a shuffle by 32', from: 'threadIdx.x;',
        to: 'threadIdx.x + __shfl_down_sync(0xffffffff, 0u, 32);', at: '__shfl_down_sync',
        says: 'a shuffle by 32: only the lowest five bits count, so it is one by 0', helps: 'begin with 16',
        status: /1 warning/,
    },
    {
        name: 'a barrier in a branch', from: `${ADD}\n        }\n        __syncthreads();`,
        to: `${ADD}\n            __syncthreads();\n        }`,
        at: '__syncthreads();',
        says: 'thread 0 comes to this barrier, and thread 1 of its block goes past it',
        helps: 'every thread of the block has to reach this barrier the same number of times',
        leads: /^Line \d+: here the threads of the block diverge leads to +if \(tid % \(2 \* stride\) == 0/,
    },
    {
        name: 'a quotient of whole numbers', from: ADD,
        to: 'float part = 1 / size; g_data[tid] += part * other;', at: '1 / size',
        says: '1 / size of whole numbers is 0 for every size above 1: write 1.0f / size',
        wrongStatus: /ok: nothing is wrong/,
    },
    {
        name: 'all add to one element', from: ADD, to: 'g_data[0] += other;', at: 'g_data[0] +=',
        says: 'thread 0 writes `DATA[0]`, which thread 2 of its block reads, and nothing orders the two',
        helps: 'No barrier helps: make it one atomic operation',
    },
    {
        name: 'a barrier is missing', from: '        __syncthreads();\n    }\n    if (tid == 0)',
        to: '    }\n    if (tid == 0)', at: 'other =',
        says: 'thread 0 reads `DATA[2]`, which thread 2 of its block writes, and nothing orders the two',
        helps: 'a barrier that every thread of the block reaches has to come between the two',
        leads: /^Line \d+: thread 2 of its block writes it here leads to +g_data\[tid\] \+= other;$/,
        // It fails in a block of one warp first.
        exercise: {
            at: 'other =',
            says: 'thread 0 reads `DATA[2]`, which thread 2 of its block writes, and nothing orders the two',
            helps: 'a barrier that every lane of the warp reaches (they do not run in lockstep), or every ' +
                'thread of the block, has to come',
        },
    },
];

/** The most seconds that a card has taken, and how many answers were read. */
const all = { seconds: 0, answers: 0 };

/** Whether `text` says it, in the words of the card. */
function isSaid(text, says, card) {
    const words = says.replaceAll('KERNEL', card.name).replaceAll('DATA', card.data);
    const pattern = words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\bN\b/g, '[\\d,]+');
    return new RegExp(pattern).test(text);
}

const isAt = (line, at) => (at instanceof RegExp ? at.test(line) : line.includes(at));

async function chord(page, key) {
    await page.keyboard.down('Control');
    await page.keyboard.press(key);
    await page.keyboard.up('Control');
}

/** Types `text` in the place of all that stands in the editor. */
async function type(page, text) {
    await page.focus('.cm-content');
    await chord(page, 'a');
    await page.evaluate(inPage.insert, text);
}

/** Runs the card; what it then shows. */
async function run(page, card) {
    const started = Date.now();
    await (card.run ? page.$eval(card.run, button => button.click()) : chord(page, 'Enter'));
    await page.waitForFunction(inPage.isIdle, { timeout: PATIENCE, polling: 20 });
    const seconds = (Date.now() - started) / 1000;
    return { seconds, ...(await page.evaluate(inPage.shown, card.at)) };
}

/** What an edit of the card's code makes of it. */
function mistaken({ from, to, more = code => code }, { name, first, behind = '' }) {
    const code = kernel(name, first);
    const edited = code.replace(from, to);
    if (edited === code) {
        throw new Error(`nothing to edit: ${from}`);
    }
    return more(edited) + behind;
}

/** What is missing of what a card is to say of a mistake. */
function* missing(mistake, card, now) {
    if (now.seconds > MOST_SECONDS) {
        yield `it took ${now.seconds.toFixed(1)} s, at most ${MOST_SECONDS}`;
    }
    if (/^Changed since/.test(now.status)) {
        yield 'the result is called old';
    }
    if (mistake.prints && !(now.printed.text.includes(mistake.prints) && now.printed.scrolls)) {
        yield 'not the first lines and how many there are, in a box that scrolls';
    }
    const { at, says, helps = '', status = /./, wrongStatus = /^$/ } = mistake[card.kind] ?? mistake;
    if (!says) {
        return;
    }
    // That of an exercise is its verdict, which stands in the result.
    if (card.kind !== 'exercise' && (!status.test(now.status) || wrongStatus.test(now.status))) {
        yield `its status is not like ${status}, or like ${wrongStatus}`;
    }
    // The listing has only its editor, and the cell has none.
    if (card.kind !== 'listing' && !isSaid(now.out, says, card)) {
        yield `the result does not say “${says}”`;
    }
    const open = now.marks.find(({ isOpen }) => isOpen);
    if (card.kind !== 'cell' && !(open && isAt(open.line, at) && isSaid(open.says, says, card)
        && open.says.includes(helps))) {
        yield `not open at the line with ${at}: “${says}” ${helps}`;
    }
}

async function checkCard(page, card, mistake, say) {
    const what = `${card.kind}, ${mistake.name}`;
    if (card.edit) {
        await type(page, mistaken(mistake, card));
    }
    const now = await run(page, card);
    all.answers += 1;
    all.seconds = Math.max(all.seconds, now.seconds);
    for (const lacks of missing(mistake, card, now)) {
        say(`${what}: ${lacks}: ${JSON.stringify(now).slice(0, 1000)}`);
    }
    if (mistake.leads && card.edit) {
        const led = await page.evaluate(lead);
        if (!mistake.leads.test(led)) {
            say(`${what}: no click leads to the other line: ${led}`);
        }
    }
}

/** After the last mistake, with the editor, what was found, the result and a figure in view, in all themes.
    */
async function looksWell(check, page, say) {
    if (await page.evaluate(inPage.pressFigure)) {
        await page.waitForFunction(inPage.isIdle, { timeout: PATIENCE, polling: 20 });
    }
    await page.evaluate(check.openDetails);
    for (const part of await page.evaluate(inPage.notInView)) {
        say(`nothing of this is in view: ${part}`);
    }
    for (const width of WIDTHS) {
        const at = `at ${width} px, with editor, finding, result and figure`;
        await page.setViewport({ width, height: 893 });
        for (const item of await page.evaluate(check.overflowing)) {
            say(`${at} the page scrolls sideways because of ${item}`);
        }
        await check.accessibility(page, at);
    }
}

/** All mistakes in the cards of one page. */
async function checkMistakes(check, page, origin, name) {
    const cards = CARDS.filter(card => card.page === name);
    if (cards.length === 0) {
        return;
    }
    const say = message => check.report(name, 'mistakes', message);
    const forget = () => page.evaluate(() => localStorage.clear());
    await forget();
    await check.open(page, origin, name, 1280);
    try {
        const [{ edit }] = cards;
        await page.waitForSelector(edit, { timeout: PATIENCE });
        await page.$eval(edit, button => button.click());
        await page.waitForSelector('.cm-content', { timeout: PATIENCE });
        for (const mistake of MISTAKES) {
            for (const card of cards.filter(({ kind }) => mistake[kind] !== null)) {
                await checkCard(page, card, mistake, say);
            }
        }
        await looksWell(check, page, say);
    } catch (error) {
        say(error.message);
    }
    await forget();
}

const summary = () =>
    `${all.answers} times a card was asked what is wrong; it said so within ${all.seconds.toFixed(1)} s`;

module.exports = { PAGES, checkMistakes, summary };
