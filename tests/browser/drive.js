// The frame of a driver: a server of the built book, a browser, and what it finds wrong.

const puppeteer = require('puppeteer-core');
const serve = require('./serve.js');

const problems = [];

/** What is wrong, if it does not hold, with what is shown in its place. */
const expect = (what, holds, shown) => holds
    || problems.push(`${what}: ${JSON.stringify(shown)?.slice(0, 600)}`);

/** Lets `story` use the book in the folder that the command names, and says what was wrong, or that all is
    `right`. */
async function drive(name, right, story) {
    const server = await serve(process.argv[2]);
    const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM,
        args: ['--no-sandbox', '--disable-gpu'] });
    try {
        await story(browser, `http://127.0.0.1:${server.address().port}`);
    } catch (error) {
        problems.push(error.stack);
    } finally {
        await browser.close();
        server.close();
        server.closeAllConnections();
    }
    problems.forEach(problem => console.log(`${name}: ${problem}`));
    console.log(problems.length ? `${name}: ${problems.length} problems` : `${name}: ${right}`);
    process.exitCode = problems.length ? 1 : 0;
}

module.exports = { drive, expect };
