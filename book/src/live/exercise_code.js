// The reader's answer to an exercise: as a listing, in the editor, or as the numbers of a form. The file
// begins with the task as a comment, which the card shows in its own way.

import { known, task } from './exercise_judge.js';
import * as store from './exercise_store.js';
import { element, highlight } from './html.js';
import { sites } from './said.js';

const ANSWER = /^(\/\/ The answer: (.+) )(\S+);$/gm;

/** The reader's file: what stands before the code, the code, and the number of its first line. */
function split(exercise, text) {
    const lines = text.split('\n');
    const head = lines.slice(0, exercise.first - 1);
    const isHead = head.every(line => line === '' || line.startsWith('//'));
    const code = isHead ? lines.slice(head.length) : lines;
    return { head: isHead ? head : [], text: code.join('\n').trimEnd(), first: isHead ? exercise.first : 1 };
}

/** The task as far as the page has it: what cannot be fetched is not waited for, and then it is the listing.
    */
const given = ({ path, listed }) => known(path) ?? listed;

/** Keeps the reader's file, unless that is the task itself. */
function write(exercise, text) {
    exercise.notKept = store.keepFile(exercise.path, text === given(exercise) ? undefined : text);
}

/** Shows the file that the browser keeps. */
export async function follow(exercise) {
    const { path, code, inputs, printed } = exercise;
    const text = store.file(path);
    inputs.forEach(input => (input.value = ''));
    for (const [, , name, value] of (text ?? '').matchAll(ANSWER)) {
        const input = inputs.get(name);
        if (input && value !== '?') {
            input.value = value;
        }
    }
    if (inputs.size > 0) {
        return;
    }
    const shown = code.pre.querySelector('code');
    if (text === undefined) {
        shown.innerHTML = printed;
    } else {
        highlight(shown, split(exercise, text).text);
    }
    if (code.editor) {
        const now = split(exercise, text ?? await task(path));
        exercise.head = now.head;
        code.editor?.show(now.text, now.first);
    }
}

/** Puts an editor in the place of the listing. `check` is what Shift+Enter does; `changed` hears of every
    edit. */
export async function open(exercise, { check, changed }) {
    const { id, path, code } = exercise;
    const { head, text, first } = split(exercise, store.file(path) ?? await task(path));
    exercise.head = head;
    await code.open({
        text,
        first,
        label: `Your answer to ${id}, from line ${first} of ${path}. Shift+Enter or Ctrl+Enter checks it.`,
        keys: [check, check],
        changed: text => {
            write(exercise, [...exercise.head, text.trimEnd(), ''].join('\n'));
            changed();
        },
    });
}

/** A text with the reader's numbers. */
const filled = ({ inputs }, text) => text.replace(ANSWER,
    (_, begin, name) => `${begin}${inputs.get(name).value || '?'};`);

/** A field for each number that is asked for. */
export function fields(exercise, changed) {
    return [...exercise.listed.matchAll(ANSWER)].map(([, , name]) => {
        const input = element('input', { type: 'number', min: 0, step: 1, autocomplete: 'off' });
        input.addEventListener('input', () => {
            write(exercise, filled(exercise, given(exercise)));
            changed();
        });
        exercise.inputs.set(name, input);
        return element('label', {}, element('span', { textContent: name }), input);
    });
}

/** Numbers that were written before the task was there stand in the whole of it. */
export async function complete(exercise) {
    if (exercise.inputs.size > 0 && store.file(exercise.path) === filled(exercise, exercise.listed)) {
        write(exercise, filled(exercise, await task(exercise.path)));
    }
}

/** The listing with the numbers that its lines have in the file. */
export function number({ code: { pre }, first }) {
    const code = pre.querySelector('code');
    const lines = code.innerHTML.trimEnd().split('\n');
    const numbered = (line, place) => `<span class="exercise-line">${first + place}</span>${line}\n`;
    code.innerHTML = lines.map(numbered).join('');
}

/** Marks the lines that a diagnostic names, both sides of a race among them. */
export function mark({ id, path, code }, diagnostics) {
    code.unmark('found', id);
    const go = (file, line) => code.editor?.reveal(line);
    sites(diagnostics).filter(({ file }) => file === path)
        .forEach(site => code.mark({ ...site, kind: 'found', cell: id, go }));
}
