// Searches a built book in Chromium as a reader does: `tests/browser/check` says what it needs.
//
//     NODE_PATH=target/browser/node_modules CHROMIUM=chromium node tests/browser/search.js book/book
//
// The name of a function finds it without its underscores, the glossary comes first, and no snippet gives
// away what a page covers.

const puppeteer = require('puppeteer-core');
const serve = require('./serve.js');

/** What is typed, and the page and heading of the first result. */
const FIRST = {
    syncthreads: 'glossary.html#barrier',
    threadfence: 'glossary.html#fence',
    shfl: 'glossary.html#shuffle',
    warp: 'glossary.html#warp',
    occupancy: 'glossary.html#occupancy',
    'bank conflict': 'glossary.html#bank-conflict',
    gridDim: 'glossary.html#grid-and-block-dimensions',
    归约: 'glossary.html#reduction',
    动态并行: 'glossary.html#dynamic-parallelism',
    规约: 'glossary.html#reduction',
};
/** Words beside an answer and a hint, and what no snippet may show of those. */
const COVERED = ['thousand numbers take', 'element 1 in the first step'];
const SAID = [/Every step halves what is left/, /Who has written them, and when/];

const problems = [];

async function results(page, words) {
    await page.evaluate(() => {
        document.querySelector('#mdbook-searchresults').replaceChildren();
        document.querySelector('#mdbook-searchbar').value = '';
    });
    await page.focus('#mdbook-searchbar');
    await page.keyboard.type(words);
    await page.keyboard.press('Shift'); // what a keyboard cannot type has no key that goes up
    await page.waitForSelector('#mdbook-searchresults li a', { timeout: 20_000 });
    await new Promise((ready) => setTimeout(ready, 300)); // the last letter's results
    return page.$$eval('#mdbook-searchresults li', (items) => items.map((item) => ({
        link: item.querySelector('a').getAttribute('href').replace(/\?[^#]*/, '').replace(/^.*\//, ''),
        teaser: item.textContent,
    })));
}

async function main() {
    const server = await serve(process.argv[2]);
    const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
    const page = await browser.newPage();
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.goto(`http://127.0.0.1:${server.address().port}/ch2_parallel.html`, { waitUntil: 'load' });
    await page.click('#mdbook-search-toggle');
    await page.waitForSelector('#mdbook-searchbar', { visible: true });
    for (const [words, link] of Object.entries(FIRST)) {
        const [first] = await results(page, words);
        if (first?.link !== link) {
            problems.push(`“${words}” first finds ${first?.link}, and not ${link}`);
        }
    }
    for (const words of COVERED) {
        for (const { link, teaser } of await results(page, words)) {
            for (const said of SAID.filter((said) => said.test(teaser))) {
                problems.push(`“${words}”: the snippet of ${link} gives away ${said}`);
            }
        }
    }
    await browser.close();
    server.close();
    problems.forEach((problem) => console.log(problem));
    console.log(problems.length ? `${problems.length} problems` : 'the search finds what it should');
    process.exitCode = problems.length ? 1 : 0;
}

main();
