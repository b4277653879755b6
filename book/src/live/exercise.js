// An exercise in the page: its card becomes a cell with a task. theme/exercises.js fetches this when a card
// is opened.

import { perform, runOrStop, say, showAge } from './card.js';
import { Code } from './card_code.js';
import { leadTo, looks, saidInHtml, steps } from './card_result.js';
import { ownText } from './card_text.js';
import { messages } from './compiler.js';
import * as code from './exercise_code.js';
import { judge, task } from './exercise_judge.js';
import { show as showDone } from './exercise_done.js';
import * as store from './exercise_store.js';
import { reason } from './fetched.js';
import { button, element, save, stylesheet } from './html.js';
import { recalled, remember } from './remembered.js';

const ownLooks = () => stylesheet('exercise.css');

/** Milliseconds without a key, after which a check begins by itself. */
const PAUSE = 1000;

/** Makes the card of an exercise one that can be solved here. */
export async function show(card) {
    await Promise.all([looks(), ownLooks()]);
    const part = name => card.querySelector(`:scope > .${name}`);
    const listing = part('code');
    const exercise = {
        frame: card,
        verb: 'Check',
        id: card.id.replace('exercise-', '').replace('-', '.'),
        path: card.dataset.file,
        first: Number(card.dataset.first),
        listing,
        code: new Code(listing.querySelector('pre')),
        printed: listing.querySelector('pre > code').innerHTML,
        listed: listing.querySelector('pre > code').textContent,
        hints: [...card.querySelectorAll(':scope > .hint')],
        solution: part('solution'),
        why: part('why'),
        inputs: new Map(),
        head: [],
        /** Why the answer is not kept, if it is not. */
        notKept: '',
        /** The answer that was checked. */
        checked: undefined,
        status: element('p', { className: 'card-status', role: 'status' }),
        verdict: element('p', { className: 'exercise-verdict', role: 'status' }),
        found: element('div'),
        isOld: () => exercise.verdict.textContent !== '' && exercise.checked !== store.file(exercise.path),
        places: () => [exercise.place],
    };
    exercise.out = element('div', { className: 'exercise-out' }, exercise.verdict, exercise.found);
    const fields = code.fields(exercise, () => changed(exercise));
    listing.open = true;
    exercise.own = ownText(store.answer(exercise.path), {
        shown: () => showKept(exercise),
        say: sentence => say(exercise, sentence),
    });
    listing.after(...(fields.length ? [form(exercise, fields)] : []), bar(exercise), exercise.own.question,
        exercise.status, exercise.out);
    if (exercise.inputs.has('line')) {
        code.number(exercise);
    }
    if (fields.length) {
        task(exercise.path).catch(() => {}); // of which the answer is made; a check says why it is not there
    }
    showKept(exercise);
    recall(exercise);
    exercise.own.watch();
    store.answer(exercise.path).watch(() => follow(exercise)); // another tab may have checked
}

/** The card as it was before a reload: the last check, if that was of this answer. */
function recall(exercise) {
    exercise.whileTyping.checked = Boolean(recalled(`${exercise.id} typing`));
    const last = recalled(`${exercise.id} check`);
    if (last && last.text === store.file(exercise.path)) {
        showCheck(exercise, last);
    }
}

/** The card shows the answer that the browser keeps. */
function showKept(exercise) {
    code.follow(exercise);
    follow(exercise);
    showAge(exercise);
}

/** The numbers that are asked for. */
function form(exercise, fields) {
    const onkeydown = event => {
        if (event.key === 'Enter') {
            check(exercise);
        }
    };
    return element('div', { className: 'exercise-answers', role: 'group',
        ariaLabel: `Your answer to ${exercise.id}`, onkeydown }, ...fields);
}

function bar(exercise) {
    const { id, inputs, own, status } = exercise;
    const isNumbers = inputs.size > 0;
    const isProgram = exercise.frame.dataset.kind === 'program';
    const buttons = {
        check: button('Check', () => runOrStop(exercise, () => check(exercise)), { className: 'card-run' }),
        edit: button('Edit', () => toggle(exercise), { hidden: isNumbers }),
        hint: button('Hint', () => hint(exercise)),
        figure: button('Figure', () => check(exercise, 'Figure', '--figure'), {
            hidden: isNumbers || isProgram,
            title: 'A small launch of your kernel, step by step',
        }),
        solution: button('Solution', () => solve(exercise, 'Solution', 'solution', id)),
        giveUp: button('Give up and show it',
            () => solve(exercise, buttons.giveUp.textContent, 'solution', id, '--give-up'), { hidden: true }),
        reset: button('Reset', () => reset(exercise),
            { title: 'The task as it was given; your answer is kept' }),
        back: own.back,
        download: button('Download', () => save(exercise.path.split('/').at(-1), store.file(exercise.path))),
    };
    exercise.buttons = buttons;
    const onchange = () => remember(`${id} typing`, exercise.whileTyping.checked);
    exercise.whileTyping = element('input', { type: 'checkbox', autocomplete: 'off', onchange });
    const progress = element('progress', { hidden: true, ariaLabel: 'Progress of the check' });
    exercise.place = { frame: exercise.frame, run: buttons.check, status, progress };
    return element('div', { className: 'card-bar exercise-bar', role: 'group', ariaLabel: `Exercise ${id}` },
        ...Object.values(buttons), element('label', { hidden: isNumbers }, exercise.whileTyping,
            ' check while I type'), progress);
}

/** The card follows what the browser keeps. */
function follow(exercise) {
    const { frame, id, path, listing, hints, solution, why, buttons, own } = exercise;
    const { passed, gave_up, hints: given } = store.of(id);
    listing.querySelector('summary').textContent = store.file(path) === undefined ? 'The code, as it is given'
        : 'Your code';
    showDone([frame]);
    hints.forEach((hint, place) => (hint.hidden = place >= given));
    solution.hidden = !passed && !gave_up;
    if (why) {
        why.hidden = !passed;
    }
    buttons.hint.textContent = `Hint ${given + 1} of ${hints.length}`;
    buttons.hint.hidden = given >= hints.length;
    buttons.solution.hidden = !solution.hidden;
    buttons.giveUp.hidden ||= !solution.hidden;
    buttons.reset.hidden = buttons.download.hidden = store.file(path) === undefined;
    own.follow();
    buttons.edit.textContent = exercise.code.editor ? 'Close' : 'Edit';
}

/** What the program says to `words` of the answer `text`, for who has pressed the `button` with this name;
    nothing if it says nothing, and the status says why. */
async function ask(exercise, button, ...words) {
    exercise.buttons.giveUp.hidden = true;
    const said = await perform(exercise, async (signal, tell) => {
        await code.complete(exercise);
        const text = store.file(exercise.path);
        return { ...(await judge(exercise, words, signal, tell)), text };
    }, `Press ${button}`);
    if (said) {
        say(exercise, said.notKept);
        follow(exercise);
    }
    return said;
}

/** Shows what a check of the answer `text` has found; nothing, before the next one. */
function showVerdict(exercise, verdict, passed, parts, text) {
    exercise.verdict.textContent = verdict;
    exercise.verdict.className = `exercise-verdict ${passed ? 'passed' : 'failed'}`;
    exercise.checked = text;
    exercise.out.classList.remove('old');
    exercise.found.replaceChildren(...parts);
}

/** What a check has said, and the marks of what it has found. */
function showCheck(exercise, { shown: { passed, verdict, said, findings }, text }) {
    showVerdict(exercise, verdict, passed,
        saidInHtml(said, leadTo(exercise.path, line => reveal(exercise, line))), text);
    const { diagnostics = [], what = '', warnings = '' } = findings ?? {};
    code.mark(exercise, [...diagnostics, ...messages(`${what}\n${warnings}`)]);
}

async function check(exercise, button = exercise.verb, ...more) {
    const answer = await ask(exercise, button, exercise.id, ...more);
    if (!answer) {
        return;
    }
    const { passed, figure, next } = answer.shown;
    showCheck(exercise, answer);
    remember(`${exercise.id} check`, { text: answer.text, shown: { ...answer.shown, figure: undefined } });
    if (figure) {
        exercise.found.append(steps([figure], true));
    }
    if (passed && exercise.why) {
        exercise.why.open = true;
    }
    if (passed && next) {
        exercise.found.append(await linkTo(next));
    }
    showAge(exercise);
}

/** Where the next exercise is, says the page of all. */
async function linkTo(id) {
    const list = new URL('../exercises.html', import.meta.url);
    const found = await fetch(list).then(response => response.text())
        .then(text => new DOMParser().parseFromString(text, 'text/html')
            .querySelector(`[data-exercise="${id}"] a`)).catch(() => null);
    const link = element('a', { href: found?.getAttribute('href') ?? list,
        textContent: found?.textContent ?? id });
    return element('p', {}, 'Next: ', link);
}

async function toggle(exercise) {
    if (exercise.code.editor) {
        exercise.code.close();
        code.follow(exercise);
    } else {
        await edit(exercise);
    }
    follow(exercise);
}

async function edit(exercise) {
    try {
        await code.open(exercise, { check: () => check(exercise), changed: () => changed(exercise) });
    } catch (error) {
        say(exercise, reason(error, 'Press Edit'));
    }
    follow(exercise);
}

/** The reader has written. */
async function changed(exercise) {
    await window.workbook.released(); // buttons come and go
    follow(exercise);
    showAge(exercise);
    if (exercise.notKept) {
        say(exercise, exercise.notKept);
    }
    clearTimeout(exercise.timer);
    if (exercise.whileTyping.checked) {
        exercise.timer = setTimeout(() => check(exercise), PAUSE);
    }
}

/** Goes to a line of the file. */
async function reveal(exercise, line) {
    if (exercise.inputs.size === 0) {
        await edit(exercise);
        exercise.code.editor?.reveal(line);
    }
}

/** Opens a part of the card that the reader has earned. */
function unfold(part) {
    part.hidden = false;
    part.open = true;
    part.querySelector('summary').focus();
}

async function hint(exercise) {
    const { id, hints } = exercise;
    const answer = await ask(exercise, exercise.buttons.hint.textContent, 'hint', id);
    const { hints: given } = store.of(id);
    if (answer && given) {
        unfold(hints[given - 1]);
        say(exercise, `Hint ${given} of ${hints.length}.`);
    }
}

/** The solution, if the program gives it. */
async function solve(exercise, button, ...words) {
    const answer = await ask(exercise, button, ...words);
    if (answer?.status === 0) {
        unfold(exercise.solution);
    } else if (answer) {
        say(exercise, 'The solution is shown once your answer has passed.');
        exercise.buttons.giveUp.hidden = false;
    }
}

async function reset(exercise) {
    const answer = await ask(exercise, 'Reset', 'reset', exercise.id);
    if (answer) {
        showVerdict(exercise, '', false, []);
        remember(`${exercise.id} check`, null);
        code.follow(exercise);
        code.mark(exercise, []);
        say(exercise, answer.notKept || 'The task again. Your answer is kept: Bring back.');
    }
}
