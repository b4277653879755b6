// An exercise in the page: its card becomes a cell with a task. theme/exercises.js fetches this when a card is opened.

import { asked } from './asked.js';
import { messages } from './compiler.js';
import * as code from './exercise_code.js';
import { judge } from './exercise_judge.js';
import { shown } from './exercise_result.js';
import * as store from './exercise_store.js';
import { reason } from './fetched.js';
import { button, element, save, stylesheet } from './html.js';
import { whyNotKept } from './store.js';
import { folded } from './steps.js';
import { perform, progressed, stop } from './task.js';

const looks = stylesheet(new URL('exercise.css', import.meta.url));

const FOLLOWS = 'This is what you wrote in another tab.';
/** Milliseconds without a key, after which a check begins by itself. */
const PAUSE = 1000;

/** Makes the card of an exercise one that can be solved here. */
export async function show(card) {
    await looks;
    const part = name => card.querySelector(`:scope > .${name}`);
    const listing = part('code');
    const exercise = {
        card,
        id: card.id.replace('exercise-', '').replace('-', '.'),
        path: card.dataset.file,
        first: Number(card.dataset.first),
        code: listing,
        pre: listing.querySelector('pre'),
        printed: listing.querySelector('pre > code').innerHTML,
        hints: [...card.querySelectorAll(':scope > .hint')],
        solution: part('solution'),
        why: part('why'),
        inputs: new Map(),
        head: [],
        editor: null,
        marks: [],
        written: undefined,
        /** Why the answer is not kept, if it is not. */
        notKept: '',
        status: element('p', { className: 'exercise-status', role: 'status' }),
        verdict: element('p', { className: 'exercise-verdict', role: 'status' }),
        out: element('div', { className: 'exercise-out' }),
        done: element('span', { className: 'exercise-done' }),
    };
    const fields = code.fields(exercise, () => changed(exercise));
    listing.open = true;
    card.querySelector(':scope > summary').append(exercise.done);
    exercise.asked = asked(store.answer(exercise.path), {
        shown: () => showKept(exercise),
        say: sentence => say(exercise, sentence),
    });
    listing.after(...(fields.length ? [form(exercise, fields)] : []), bar(exercise), exercise.asked.frame, exercise.status, exercise.verdict, exercise.out);
    if (exercise.inputs.has('line')) {
        code.number(exercise);
    }
    showKept(exercise);
    store.answer(exercise.path).watch(() => followOthers(exercise));
}

/** The card shows the answer that the browser keeps. */
function showKept(exercise) {
    code.follow(exercise);
    follow(exercise);
    showChanged(exercise);
}

/** Another tab may have written. */
function followOthers(exercise) {
    if (store.answer(exercise.path).follow()) {
        showKept(exercise);
        say(exercise, FOLLOWS);
    }
    follow(exercise);
}

/** The numbers that are asked for. */
function form(exercise, fields) {
    const onkeydown = event => {
        if (event.key === 'Enter') {
            check(exercise);
        }
    };
    return element('div', { className: 'exercise-answers', role: 'group', ariaLabel: `Your answer to ${exercise.id}`, onkeydown }, ...fields);
}

function bar(exercise) {
    const { id, inputs } = exercise;
    const isNumbers = inputs.size > 0;
    const buttons = {
        check: button('Check', () => (exercise.stop ? stop(exercise) : check(exercise)), { className: 'exercise-check' }),
        edit: button('Edit', () => toggle(exercise), { hidden: isNumbers }),
        hint: button('Hint', () => hint(exercise)),
        figure: button('Figure', () => check(exercise, '--figure'), { hidden: isNumbers, title: 'A small launch of your kernel, step by step' }),
        solution: button('Solution', () => solve(exercise, 'solution', id)),
        giveUp: button('Give up and show it', () => solve(exercise, 'solution', id, '--give-up'), { hidden: true }),
        reset: button('Reset', () => reset(exercise), { title: 'The task as it was given; your answer is kept' }),
        back: button('Bring back', () => bringBack(exercise), { title: 'The answer that was there before' }),
        download: button('Download', () => save(exercise.path.split('/').at(-1), store.file(exercise.path))),
    };
    exercise.buttons = buttons;
    exercise.whileTyping = element('input', { type: 'checkbox', autocomplete: 'off' });
    exercise.progress = element('progress', { hidden: true, ariaLabel: 'Progress of the check' });
    return element('div', { className: 'exercise-bar', role: 'group', ariaLabel: `Exercise ${id}` },
        ...Object.values(buttons), element('label', { hidden: isNumbers }, exercise.whileTyping, ' check while I type'), exercise.progress);
}

const say = ({ status }, sentence) => (status.textContent = sentence);

const LOOKS = {
    say,
    showRunning({ buttons: { check }, progress }, on) {
        check.textContent = on ? 'Stop' : 'Check';
        check.classList.toggle('running', on);
        progress.hidden = !on;
    },
    showProgress: ({ progress }, fraction) => progressed(progress, fraction),
};

/** The card follows what the browser keeps. */
function follow(exercise) {
    const { id, path, code: listing, hints, solution, why, buttons, done } = exercise;
    const { passed, gave_up, hints: given } = store.of(id);
    listing.querySelector('summary').textContent = store.file(path) === undefined ? 'The code, as it is given' : 'Your code';
    done.textContent = passed ? ' · done' : '';
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
    buttons.back.hidden = store.answer(path).asides().length === 0;
    exercise.asked.follow();
    buttons.edit.textContent = exercise.editor ? 'Close' : 'Edit';
}

/** What the program says to `words` of the answer `text`; nothing if it says nothing, and the status says why. */
async function ask(exercise, ...words) {
    exercise.buttons.giveUp.hidden = true;
    const said = await perform(exercise, LOOKS, async (signal, tell) => {
        await exercise.written;
        const text = store.file(exercise.path);
        return { ...(await judge(exercise, words, signal, tell)), text };
    });
    if (said) {
        say(exercise, said.notKept);
        follow(exercise);
    }
    return said;
}

/** Shows what a check has found; nothing, before the next one. */
function showVerdict(exercise, verdict, passed, parts) {
    exercise.verdict.textContent = verdict;
    exercise.verdict.className = `exercise-verdict ${passed ? 'passed' : 'failed'}`;
    exercise.out.replaceChildren(...parts);
    exercise.card.classList.remove('changed-since');
}

async function check(exercise, ...more) {
    const answer = await ask(exercise, exercise.id, ...more);
    if (!answer) {
        return;
    }
    const { passed, verdict, said, findings, figure, next } = answer.shown;
    showVerdict(exercise, verdict, passed, shown(said, exercise.path, line => reveal(exercise, line)));
    const { diagnostics = [], what = '', warnings = '' } = findings ?? {};
    code.mark(exercise, [...diagnostics, ...messages(`${what}\n${warnings}`)]);
    if (figure) {
        const film = folded([figure]);
        film.open = true;
        exercise.out.append(film);
    }
    if (passed && exercise.why) {
        exercise.why.open = true;
    }
    if (passed && next) {
        exercise.out.append(await linkTo(next));
    }
    if (answer.text !== store.file(exercise.path)) {
        showChanged(exercise);
    }
}

function showChanged(exercise) {
    if (exercise.verdict.textContent) {
        exercise.card.classList.add('changed-since');
        say(exercise, 'Your answer has changed since this check.');
    }
}

/** Where the next exercise is, says the page of all. */
async function linkTo(id) {
    const list = new URL('../exercises.html', import.meta.url);
    const found = await fetch(list).then(response => response.text())
        .then(text => new DOMParser().parseFromString(text, 'text/html').querySelector(`[data-exercise="${id}"] a`)).catch(() => null);
    const link = element('a', { href: found?.getAttribute('href') ?? list, textContent: found?.textContent ?? id });
    return element('p', {}, 'Next: ', link);
}

async function toggle(exercise) {
    if (exercise.editor) {
        code.close(exercise);
    } else {
        await edit(exercise);
    }
    follow(exercise);
}

async function edit(exercise) {
    try {
        await code.open(exercise, { check: () => check(exercise), changed: () => changed(exercise) });
    } catch (error) {
        say(exercise, reason(error));
    }
    follow(exercise);
}

/** The reader has written. */
function changed(exercise) {
    follow(exercise);
    showChanged(exercise);
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
        exercise.editor?.reveal(line);
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
    const answer = await ask(exercise, 'hint', id);
    const { hints: given } = store.of(id);
    if (answer && given) {
        unfold(hints[given - 1]);
        say(exercise, `Hint ${given} of ${hints.length}.`);
    }
}

/** The solution, if the program gives it. */
async function solve(exercise, ...words) {
    const answer = await ask(exercise, ...words);
    if (answer?.status === 0) {
        unfold(exercise.solution);
    } else if (answer) {
        say(exercise, 'The solution is shown once your answer has passed.');
        exercise.buttons.giveUp.hidden = false;
    }
}

async function reset(exercise) {
    const answer = await ask(exercise, 'reset', exercise.id);
    if (answer) {
        say(exercise, answer.notKept || 'The task again. Your answer is kept: Bring back.');
        code.follow(exercise);
        code.mark(exercise, []);
        showVerdict(exercise, '', false, []);
    }
}

/** What was put aside last takes the place of what is there. */
function bringBack(exercise) {
    const text = store.answer(exercise.path);
    const had = text.value !== undefined;
    try {
        text.bringBack();
    } catch (error) {
        say(exercise, whyNotKept(error));
        return;
    }
    showKept(exercise);
    say(exercise, had ? 'Your earlier answer. The other one is kept: Bring back.' : 'Your answer again.');
}
