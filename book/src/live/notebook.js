// The notebook: cells of CUDA C++ that the page compiles and launches on the simulator, as one file from the first cell
// down to the one that runs. The editor and the compiler are fetched when somebody edits or runs.

import { asked } from './asked.js';
import { build, messages, refusal } from './compiler.js';
import * as edits from './edits.js';
import { fetchedModule, reason } from './fetched.js';
import { button, element, highlight, save, stylesheet, thousands } from './html.js';
import * as file from './notebook_file.js';
import { result, said } from './notebook_result.js';
import { sites } from './said.js';
import * as simulator from './simulator.js';
import { whyNotKept } from './store.js';
import { perform, stop } from './task.js';

/** More is taken for an endless kernel, or is more than a page has. */
const LIMITS = ['--steps-limit', '2^24', '--memory', '2^30'];
const COMMAND = ['cargo run --example simulate --', file.PATH, ...LIMITS].join(' ');
/** What `save` writes stays in the page's own memory, to be downloaded. */
const IN_PAGE = [...LIMITS, '--out', '/'];

const BACK = 'Back to the notebook before';
const FOLLOWS = 'This is what you wrote in another tab.';
const IS_OLD = 'The code has changed since this result.';
const COMPILES = 'It compiles. This cell launches nothing: a line //@ launch … does.';

const place = document.getElementById('notebook');
const example = place.querySelector('pre > code').textContent.trimEnd();
const { draft } = file;

/** Of each: mark, text; frame, status, out; and what shows the text, `pre` or `editor`. */
let cells = [];
let removed = draft.value?.removed ?? [];
const large = file.tooLarge.asides().map(({ text }) => text);
/** What makes an editor, once it is there. */
let editor;

const say = (cell, sentence) => (cell.status.textContent = sentence);
const sayOfAll = sentence => (status.textContent = sentence);

/** What the cells from this place on run is no longer what it was. */
function changed(place) {
    cells.slice(place).filter(({ out }) => out.childElementCount).forEach(cell => say(cell, IS_OLD));
    show();
    keep();
}

function keep() {
    const why = draft.write({ text: file.source(cells), removed });
    if (why) {
        sayOfAll(why);
    }
    question.follow();
}

// The cells on the page.

/** The text of a cell, where there is no editor. */
function still(cell) {
    const code = element('code', { className: 'language-cpp' });
    cell.pre = element('pre', { title: 'Click to edit', onclick: () => edit(cell) }, code);
    highlight(code, cell.text);
    window.workbook.watch(code);
    return cell.pre;
}

function open(cell, first) {
    cell.editor = editor({
        text: cell.text,
        first,
        label: 'The code of this cell. Shift+Enter runs it and goes on, Ctrl+Enter runs it and stays. Tab indents; Escape, then Tab leaves.',
        keys: { 'Shift-Enter': () => runAndGoOn(cell), 'Mod-Enter': () => press(cell) },
        changed: text => {
            cell.text = text;
            changed(cells.indexOf(cell));
        },
    });
    cell.pre?.replaceWith(cell.editor.frame);
    cell.pre = undefined;
    return cell.editor.frame;
}

async function fetchEditor() {
    if (!editor) {
        ({ editor } = await fetchedModule('editor.js'));
        const first = file.firstLines(cells);
        cells.forEach((cell, place) => cell.pre && open(cell, first[place]));
    }
}

async function edit(cell) {
    try {
        await fetchEditor();
        cell.editor.focus();
    } catch (error) {
        say(cell, reason(error));
    }
}

function made({ mark = '', text = '' }) {
    const cell = { mark, text, status: element('span', { className: 'notebook-status', role: 'status' }), out: element('div', { className: 'notebook-out' }) };
    cell.name = element('span', { className: 'notebook-name' });
    cell.run = button('Run', () => press(cell), { className: 'notebook-run', title: 'Ctrl+Enter; Shift+Enter runs and goes to the next cell' });
    cell.up = button('↑', () => move(cell, -1), { title: 'Move up' });
    cell.down = button('↓', () => move(cell, 1), { title: 'Move down' });
    cell.buttons = [
        [cell.run, 'Run'],
        [button('Edit', () => edit(cell), { className: 'notebook-edit' }), 'Edit'],
        [button('+', () => add(cell), { title: 'Add a cell below' }), 'Add a cell below'],
        [cell.up, 'Move up'],
        [cell.down, 'Move down'],
        [button('Remove', () => remove(cell)), 'Remove'],
    ];
    const saveLarge = () => large.forEach((source, place) => save(`large-${place + 1}-${file.PATH}`, source));
const rest = button('Download what is too large', saveLarge, { title: 'Notebooks with more than the page shows' });
const bar = element('div', { className: 'notebook-bar' }, cell.name, ...cell.buttons.map(([button]) => button), cell.status);
    cell.frame = element('section', { className: 'notebook-cell' }, bar, cell.out);
    return cell;
}

/** The page follows the cells. */
function show() {
    const first = file.firstLines(cells);
    cells.forEach((cell, number) => {
        const name = `Cell ${number + 1}`;
        cell.name.textContent = [name, file.title(cell)].filter(Boolean).join(' · ');
        cell.frame.ariaLabel = name;
        cell.buttons.forEach(([button, does]) => (button.ariaLabel = `${button === cell.run ? cell.run.textContent : does}: ${name}`));
        cell.up.disabled = number === 0;
        cell.down.disabled = number === cells.length - 1;
        if (cell.editor) {
            cell.editor.show(cell.text, first[number]);
        } else if (!cell.pre) {
            cell.frame.prepend(editor ? open(cell, first[number]) : still(cell));
        }
        if (list.children[number] !== cell.frame) {
            list.insertBefore(cell.frame, list.children[number] ?? null);
        }
    });
    place.classList.toggle('in-editor-now', Boolean(editor));
    undo.hidden = removed.length === 0;
    back.hidden = draft.asides().length === 0;
    rest.hidden = large.length === 0;
}

/** The page shows the notebook that is kept. */
function showKept() {
    cells.forEach(stop);
    cells.forEach(close);
    cells = file.cells(draft.value?.text ?? example).map(made);
    removed = draft.value?.removed ?? [];
    show();
    question.follow();
}

/** Shows another notebook; the one that was there is put aside. Says why, if there is no room for that; then nothing has changed. */
function replace(text, isLink = false) {
    try {
        draft.replace({ text, removed: [], isLink });
    } catch (error) {
        return whyNotKept(error);
    }
    showKept();
    return '';
}

function goBack() {
    try {
        draft.bringBack();
    } catch (error) {
        sayOfAll(whyNotKept(error));
        return;
    }
    showKept();
}

/** Another tab may have written. */
function followOthers() {
    if (draft.follow()) {
        showKept();
        sayOfAll(FOLLOWS);
    }
    question.follow();
}

function close(cell) {
    cell.editor?.close();
    cell.frame.remove();
}

function add(cell) {
    if (cells.length >= file.MAX_CELLS) {
        say(cell, `A notebook has at most ${file.MAX_CELLS} cells. Write this one into another, or into a new notebook.`);
        return;
    }
    const own = made({});
    cells.splice(cells.indexOf(cell) + 1, 0, own);
    changed(cells.indexOf(own));
    edit(own);
}

function move(cell, by) {
    const from = cells.indexOf(cell);
    cells.splice(from, 1);
    cells.splice(from + by, 0, cell);
    changed(Math.min(from, from + by));
    const pressed = by < 0 ? cell.up : cell.down;
    (pressed.disabled ? cell.run : pressed).focus();
    say(cell, `Moved; now cell ${from + by + 1} of ${cells.length}.`);
}

function remove(cell) {
    stop(cell);
    const from = cells.indexOf(cell);
    removed.push({ from, mark: cell.mark, text: cell.text });
    close(cell);
    cells.splice(from, 1);
    if (cells.length === 0) {
        cells.push(made({}));
    }
    changed(from);
    undo.focus();
    sayOfAll(`Cell ${from + 1} is removed.`);
}

function putBack() {
    if (cells.length >= file.MAX_CELLS) {
        sayOfAll(`A notebook has at most ${file.MAX_CELLS} cells. Remove another one first.`);
        return;
    }
    const { from, ...cell } = removed.pop();
    const own = made(cell);
    cells.splice(from, 0, own);
    changed(from);
    own.run.focus();
    sayOfAll(`Cell ${cells.indexOf(own) + 1} is back.`);
}

// Runs.

const NAME = 'notebook';
const unmark = () => cells.forEach(({ editor }) => editor?.unmark('found', NAME));
/** The editor of the cell that has this line of the file. */
function editorAt(line) {
    const place = file.firstLines(cells).findLastIndex(first => first <= line);
    return cells[place]?.editor;
}
// One line past a cell's last is the next one's mark, which has no editor.
const mark = site => editorAt(site.line)?.mark({ ...site, cell: NAME, kind: 'found', go: (file, line) => reveal(line) });
const reveal = line => editorAt(line)?.reveal(line);

const LOOKS = {
    say,
    showRunning(cell, on) {
        cell.frame.classList.toggle('running', on);
        cell.run.textContent = on ? 'Stop' : 'Run';
        show();
    },
    showProgress() {},
};

/** Shows what the cells down to this one give; whether the next cell may follow. */
async function ran(cell, signal, tell) {
    await fetchEditor();
    unmark();
    const source = file.source(cells, cells.indexOf(cell));
    const end = (sentence, ...parts) => {
        cell.out.replaceChildren(...parts);
        say(cell, sentence);
    };
    const made = await build({ path: file.PATH, source }, signal, tell);
    const found = messages(made.said).filter(message => message.file === file.PATH);
    sites(found).forEach(mark);
    const told = made.said ? [element('p', { className: 'cell-note', textContent: 'The compiler says:' }), said(made.said, reveal)] : [];
    if (!made.ptx) {
        end(refusal(found), ...told);
        return false;
    }
    if (!file.launches(cell)) {
        end(COMPILES, ...told);
        return true;
    }
    const files = { [file.PATH]: source, [file.PATH.replace('.cu', '.ptx')]: made.ptx };
    const left = await simulator.start(['simulate', file.PATH, ...IN_PAGE], () => files, signal, tell);
    const answer = simulator.shown(left);
    if (!answer) {
        const line = Number(left.stderr.match(/^error: notebook\.cu:(\d+): /)?.[1]);
        if (line) {
            mark({ line, words: 'error', sentence: simulator.refusal(left) });
        }
        end(`It was not launched${line ? `: line ${line}` : ''}.`, ...told, said(left.stderr, reveal));
        return false;
    }
    sites(answer.diagnostics).filter(site => site.file === file.PATH).forEach(mark);
    const isOld = source !== file.source(cells, cells.indexOf(cell));
    end(`Done in ${answer.seconds.toFixed(2)} s: ${answer.verdict}.${isOld ? ` ${IS_OLD}` : ''}`, ...told, ...result(answer, COMMAND, reveal));
    return true;
}

/** Runs a cell; whether those after it may follow. */
function run(cell) {
    cells.forEach(stop);
    return perform(cell, LOOKS, (signal, tell) => ran(cell, signal, tell));
}

const press = cell => (cell.stop ? stop(cell) : run(cell));

function runAndGoOn(cell) {
    const next = cells[cells.indexOf(cell) + 1] ?? cell;
    press(cell);
    next.editor?.focus();
}

async function runAll() {
    for (const cell of [...cells]) {
        if (!(await run(cell))) {
            return;
        }
    }
}

// The whole notebook.

const download = () => save(file.PATH, file.source(cells));

async function take() {
    const [chosen] = input.files;
    if (!chosen) {
        return;
    }
    try {
        sayOfAll(await taken(chosen));
    } catch {
        sayOfAll(`${chosen.name} cannot be read.`);
    }
    input.value = ''; // so that the same file can be chosen again
}

/** A UTF-8 character has at most this many bytes. */
const MAX_BYTES = 4;

/** Shows a file of the reader's, if it can be shown; what to say. */
async function taken(chosen) {
    if (chosen.size > MAX_BYTES * file.MAX_CHARACTERS) {
        return `${chosen.name} has ${thousands(chosen.size)} bytes; a notebook has at most ${thousands(file.MAX_CHARACTERS)} characters. Nothing has changed.`;
    }
    const source = (await chosen.text()).trimEnd();
    const excess = file.excess(source);
    if (excess) {
        return `${chosen.name} has ${excess}. Nothing has changed.`;
    }
    return replace(source) || `${chosen.name} is here. It runs when you press Run.`;
}

const copy = async () => sayOfAll(await edits.copyLink(place.id, { path: file.PATH, source: file.source(cells) }, 'these cells'));

/** The notebook of a link is shown, and runs nothing. */
async function fromLink() {
    const shared = await edits.fromLink();
    const excess = shared?.file === file.PATH && file.excess(shared.source);
    if (excess) {
        sayOfAll(`The notebook of this link has ${excess}. It is not shown, and nothing has changed.`);
    } else if (shared?.file === file.PATH) {
        sayOfAll(replace(shared.source, true) || 'The notebook of a link. It runs when you press Run.');
    } else if (shared) {
        sayOfAll('The notebook in this link cannot be read. Was it cut off, or is it of another page?');
    }
}

const list = element('div', { className: 'notebook-cells' });
const status = element('p', { className: 'notebook-status', role: 'status' });
const input = element('input', { type: 'file', accept: '.cu,.cuh,.txt', hidden: true, onchange: take });
const undo = button('Put the removed cell back', putBack);
const back = button(BACK, goBack);
const question = asked(draft, { shown: showKept, say: sayOfAll, bringBack: BACK });
const saveLarge = () => large.forEach((source, place) => save(`large-${place + 1}-${file.PATH}`, source));
const rest = button('Download what is too large', saveLarge, { title: 'Notebooks with more than the page shows' });
const bar = element('div', { className: 'notebook-bar notebook-all', role: 'group', ariaLabel: 'The whole notebook' },
    button('Run all', runAll),
    button('Export', download, { title: `Download ${file.PATH}` }),
    button('Import', () => input.click(), { title: 'A .cu file' }),
    button('Copy link', copy),
    button('Reset', () => sayOfAll(replace(example)), { title: 'The example again; your notebook can be had back' }),
    undo, back, rest, input, status);

await stylesheet(new URL('notebook.css', import.meta.url));
cells = file.cells(draft.value?.text ?? example).map(made);
place.replaceChildren(bar, question.frame, list);
show();
if (large.length > 0) {
    sayOfAll(`The browser keeps a notebook of yours with ${file.excess(large.at(-1))}. It is not shown here; “${rest.textContent}” saves it as a file.`);
}
draft.watch(followOthers);
addEventListener('hashchange', fromLink);
await fromLink();
