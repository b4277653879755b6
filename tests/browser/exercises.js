// Solves every exercise in the page, by typing, as somebody would who has nothing but a browser; and has the
// page check what the terminal has checked: of each exercise the task, the solution and a wrong answer; with
// `--all` every mutant and all that learners write too. `check` is what check.js lends.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const PATIENCE = 60_000;
const LIST = 'exercises.html';

/** What the terminal says of every text, by the test `clang_gives_every_text_the_verdict_that_nvcc_gives_it`.
    */
const TERMINAL = path.join(__dirname, '../../target/exercises.json');

/** One exercise's card in a tab. */
class Card {
    constructor(page, id) {
        this.page = page;
        this.id = id;
        this.at = `#exercise-${id.replace('.', '-')}`;
    }

    /** Calls `act` in the page with the card. */
    in(act, ...values) {
        return this.page.$eval(this.at, new Function('card', '...values', `return (${act})(card, ...values)`),
            ...values);
    }

    ready() {
        return this.page.waitForSelector(`${this.at} .card-run`, { timeout: PATIENCE });
    }

    /** The button with these words, if it is in view. */
    async press(words) {
        const is = await this.in((card, words) => {
            const button = [...card.querySelectorAll('.exercise-bar button')].find(({ textContent,
                hidden }) => textContent.startsWith(words) && !hidden);
            button?.click();
            return Boolean(button);
        }, words);
        if (!is) {
            throw new Error(`there is no button ${words}`);
        }
        await this.idle();
    }

    async idle() {
        const isIdle = at => !document.querySelector(at).matches('.running');
        await this.page.waitForFunction(isIdle, { timeout: PATIENCE, polling: 20 }, this.at);
        return this.shown();
    }

    shown() {
        return this.in(card => {
            const text = selector => card.querySelector(selector)?.textContent ?? '';
            return {
                title: text('summary'),
                status: text('.card-status'),
                verdict: text('.exercise-verdict'),
                passed: Boolean(card.querySelector('.exercise-verdict.passed:not(:empty)')),
                out: text('.exercise-out'),
                code: [...card.querySelectorAll('.cm-line')].map(line => line.textContent).join('\n'),
                marks: card.querySelectorAll('.cm-found').length,
                tables: card.querySelectorAll('.exercise-out table').length,
                figures: card.querySelectorAll('.exercise-out figure svg').length,
                buttons: [...card.querySelectorAll('.exercise-bar button')].filter(({ hidden }) => !hidden)
                    .map(button => button.textContent),
                folded: [...card.querySelectorAll(':scope > details')].filter(({ hidden }) => !hidden)
                    .map(part => part.querySelector('summary').textContent),
            };
        });
    }

    solution() {
        return this.in(card => card.querySelector('.solution pre code').textContent);
    }

    async edit() {
        if (!(await this.page.$(`${this.at} .cm-content`))) {
            await this.press('Edit');
            await this.page.waitForSelector(`${this.at} .cm-content`, { timeout: PATIENCE });
        }
    }

    /** Types `code` in the place of all that stands in the editor. */
    async type(code) {
        await this.edit();
        await this.page.focus(`${this.at} .cm-content`);
        await this.keys('Control', 'a');
        await this.page.keyboard.sendCharacter(code);
    }

    /** Types the numbers of a solution into their fields. */
    async fill(solution) {
        for (const [, name, value] of solution.matchAll(/The answer: (.+) (\d+);/g)) {
            await this.in((card, name) => [...card.querySelectorAll('.exercise-answers label')].find(label =>
                label.textContent === name).querySelector('input').focus(), name);
            await this.page.keyboard.type(value);
        }
    }

    async keys(held, key) {
        await this.page.keyboard.down(held);
        await this.page.keyboard.press(key);
        await this.page.keyboard.up(held);
    }

    async check() {
        const isForm = await this.in(card => Boolean(card.querySelector('.exercise-answers')));
        await (isForm ? this.page.keyboard.press('Enter') : this.keys('Control', 'Enter'));
        return this.idle();
    }

    async solve() {
        const solution = await this.solution();
        const isForm = await this.in(card => Boolean(card.querySelector('.exercise-answers')));
        await (isForm ? this.fill(solution) : this.type(solution));
        return this.check();
    }
}

/** What the page says of a text, whether it is the task's or not: { status, stdout } of the program. */
const judged = (page, { id, path, text }) =>
    page.evaluate(async (id, path, text) => {
        const [{ judge, task }, store] = await Promise.all(['exercise_judge.js',
            'exercise_store.js'].map(name => import(new URL(`live/${name}`, location))));
        localStorage.clear();
        store.keepFile(path, text === await task(path) ? undefined : text);
        return judge({ id, path }, [id], new AbortController().signal)
            .then(({ status, stdout }) => ({ status, stdout }), ({ message }) => ({ stdout: message }));
    }, id, path, text);

/** The first line in which the two differ; nothing if none does. Where the compiler lies, each says in its
    own way. */
function difference(one, other) {
    const [lines, others] = [one, other].map(text => text.replace(/(?<=could not compile \S+) \(.*\):$/m, ':')
        .split('\n'));
    const place = [...lines, ''].findIndex((line, place) => line !== others[place]);
    return place < lines.length || others.length > lines.length ? `“${lines[place]}”, not “${others[place]}”`
        : '';
}

/** From the stub to the solution, with everything that a card has. */
async function story(check, card, say) {
    const expect = (what, is, now) => is || say(`${what}: ${JSON.stringify(now).slice(0, 600)}`);
    const { page } = card;
    const solution = await card.solution();
    let now = await card.shown();
    expect('hints, solution or question are in view before they are earned', now.folded.length === 1, now);
    await card.edit();
    now = await card.check();
    expect('the task as it is given passes',
        !now.passed && /not yet/.test(now.verdict) && /Think about/.test(now.out), now);
    expect('what was found is not marked at its lines', now.marks > 0, now);
    const stub = now.code;
    await page.evaluate(check.openDetails);
    await check.accessibility(page, 'with a failed check');

    await card.press('Hint 1');
    now = await card.shown();
    expect('a hint is not given', now.folded.includes('Hint 1') && !now.folded.includes('Hint 2')
        && now.buttons.some(name => name.startsWith('Hint 2')), now);
    await card.press('Solution');
    now = await card.shown();
    expect('the solution is given before it is earned',
        /once your answer has passed/.test(now.status) && !now.folded.includes('A solution'), now);
    await card.press('Give up');
    now = await card.shown();
    expect('whoever gives up does not see the solution', now.folded.includes('A solution'), now);

    await card.type('// Mine.\nint misspelt() { return missing; }\n');
    now = await card.check();
    expect('an error of the compiler is not at its line',
        now.marks === 1 && /undeclared identifier 'missing'/.test(now.out), now);

    await card.type(solution);
    now = await card.check();
    expect('the solution does not pass', now.passed && / · done$/.test(now.title) && now.tables === 1, now);
    await page.waitForSelector(`${card.at} .exercise-out a[href$="#exercise-3-2"]`, { timeout: PATIENCE })
        .catch(() => say('there is no link to the next exercise'));
    expect('the question is not in view', now.folded.includes('Can you explain it?'), now);
    await card.press('Figure');
    now = await card.shown();
    expect('there is no figure', now.figures > 0, now);
    await page.evaluate(check.openDetails);
    await check.accessibility(page, 'with a check that passes');
    await page.setViewport({ width: 390, height: 893 });
    for (const item of await page.evaluate(check.overflowing)) {
        say(`at 390 px the page scrolls sideways because of ${item}`);
    }
    await page.setViewport({ width: 1280, height: 893 });

    await card.press('Reset');
    now = await card.shown();
    expect('Reset does not bring the task back', now.code === stub, now);
    await card.press('Bring back');
    now = await card.shown();
    expect('an answer is lost by Reset', now.code.trim() === solution.trim(), now);

    // What stops is not a verdict; a reload loses nothing.
    await card.in(card => card.querySelector('.card-run').click());
    await card.in(card => card.querySelector('.card-run').click());
    now = await card.idle();
    expect('Stop does not stop a check', now.status === 'Stopped.', now);
    await page.reload({ waitUntil: 'load' });
    await card.ready();
    now = await card.shown();
    expect('a reload loses the progress',
        / · done$/.test(now.title) && now.folded.includes('Hint 1') && now.folded[0] === 'Your code', now);

    // Checks come by themselves.
    await card.type(stub);
    await card.in(card => card.querySelector('.exercise-bar input').click());
    await card.page.focus(`${card.at} .cm-content`);
    await page.keyboard.type(' ');
    await page.waitForSelector(`${card.at} .exercise-verdict.failed:not(:empty)`, { timeout: PATIENCE })
        .catch(() => say('nothing is checked while one types'));
}

/** The page of all exercises: progress goes out and comes in. */
async function list(check, page, origin, say, solved) {
    const at = async () => page.evaluate(() => ({
        summary: document.querySelector('.exercise-list').closest('.table-frame').parentElement
            .querySelector('.exercise-bar').previousElementSibling.textContent,
        done: [...document.querySelectorAll('tr[data-exercise]')].filter(row =>
            /^done/.test(row.lastElementChild.textContent)).map(row => row.dataset.exercise),
    }));
    await check.open(page, origin, LIST, 1280);
    await page.waitForSelector('.exercise-bar');
    let now = await at();
    if (now.done.join() !== solved.join()) {
        say(`it shows as done ${now.done}, and done are ${solved}`);
    }
    await check.accessibility(page, 'with progress');
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'exercises-'));
    const exported = await page.evaluate(() => import(new URL('live/exercise_store.js', location))
        .then(store => store.progress()));
    const file = path.join(folder, '.exercises.json');
    fs.writeFileSync(file, exported);
    const answer = path.join(folder, '2_1_barrier.cu');
    fs.writeFileSync(answer, '// Mine.\n');
    await page.evaluate(() => localStorage.clear());
    await page.reload({ waitUntil: 'load' });
    await page.waitForSelector('.exercise-bar');
    const wrong = path.join(folder, 'other.json');
    fs.writeFileSync(wrong, '{"exercises": {"1.1": 5}}');
    await (await page.$('input[type="file"]')).uploadFile(file, answer, wrong);
    await page.waitForFunction(() => /imported/.test(document.querySelector('.card-status').textContent),
        { timeout: PATIENCE });
    now = { ...(await at()), status: await page.$eval('.card-status', status => status.textContent),
        files: await page.evaluate(() => Object.keys(localStorage)) };
    if (now.done.join() !== solved.join() || !/^2 files imported. other.json has no progress/.test(now.status)
        || !now.files.some(name => name.includes('2_1_barrier.cu @'))) {
        say(`an import is not what was exported: ${JSON.stringify(now)}`);
    }
    fs.rmSync(folder, { recursive: true });
}

/** Everything about exercises; a summary. `newTab`: a tab of a stranger. */
async function checkExercises(check, newTab, origin, everyAnswer) {
    const started = Date.now();
    const say = (id, message) => check.report(LIST, id && `exercise ${id}`, message);
    const known = fs.existsSync(TERMINAL) ? JSON.parse(fs.readFileSync(TERMINAL, 'utf8')) : [];
    if (known.length === 0) {
        say('', 'there is no target/exercises.json: cargo test -p exercise -- --ignored ' +
            'clang_gives_every_text');
    }
    const first = await newTab();
    await check.open(first, origin, LIST, 1280);
    const rows = await first.$$eval('tr[data-exercise]',
        rows => rows.map(({ dataset }) => ({ id: dataset.exercise, path: dataset.file })));
    await first.close();
    const queue = rows.filter(({ path }) => path.endsWith('.cu'));
    let compared = 0;
    const worker = async (_, number) => {
        const page = await newTab();
        page.current = LIST;
        const mine = [];
        for (let next; (next = queue.shift()); ) {
            const { id } = next;
            const card = new Card(page, id);
            try {
                await page.goto(`${origin}/${LIST}`, { waitUntil: 'load' });
                await Promise.all([page.waitForNavigation({ waitUntil: 'load' }),
                    page.$eval(`tr[data-exercise="${id}"] a`, link => link.click())]);
                await card.ready();
                if (id === '3.1') {
                    await story(check, card, message => say(id, message));
                }
                const now = await card.solve();
                if (!now.passed) {
                    say(id, `its solution does not pass: ${now.status} ${now.verdict} ` +
                        `${now.out.slice(0, 300)}`);
                }
                mine.push(id);
                const held = await page.evaluate(() => ({ ...localStorage }));
                // Task, solution, mutants, learners' texts: in this order.
                const answers = known.filter(answer => answer.id === id);
                for (const answer of answers.slice(0, everyAnswer ? answers.length : 3)) {
                    compared += 1;
                    const { status, stdout } = await judged(page, answer);
                    const differs = difference(stdout, answer.stdout);
                    if (differs || status !== answer.status) {
                        say(id, `${answer.name}: the page ends with ${status} and says ` +
                            `${differs || 'the same'}; the terminal ended with ${answer.status}`);
                    }
                }
                await page.evaluate(held => {
                    localStorage.clear();
                    Object.entries(held).forEach(entry => localStorage.setItem(...entry));
                }, held);
            } catch (error) {
                say(id, `${error.message}; then the card says ` +
                    `${JSON.stringify(await card.shown().catch(() => '')).slice(0, 300)}`);
            }
        }
        if (number === 0) {
            const place = id => rows.findIndex(row => row.id === id); // 0.10 comes after 0.9
            mine.sort((a, b) => place(a) - place(b));
            await list(check, page, origin, message => say('', message), mine);
        }
        await page.close();
    };
    await Promise.all(Array.from({ length: Math.min(4, os.availableParallelism()) }, worker));
    return `${rows.length} exercises and ${compared} of ${known.length} answers to them, checked in ` +
        `${((Date.now() - started) / 1000).toFixed(0)} s`;
}

module.exports = { checkExercises, LIST };
