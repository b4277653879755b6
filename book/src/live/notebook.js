// The notebook: cells of CUDA C++ that the page compiles and launches on the simulator, as one file from the
// first cell down to the one that runs. The editor and the compiler are fetched when somebody edits or runs.

import { perform, runOrStop, say, showAge, stop } from './card.js';
import { Code, fetchedEditor } from './card_code.js';
import { ownText } from './card_text.js';
import { addCures, edited, offers } from './cures.js';
import * as edits from './edits.js';
import { load, reason } from './fetched.js';
import { button, element, highlight, save, stylesheet, thousands } from './html.js';
import { markdown } from './markdown.js';
import * as file from './notebook_file.js';
import { recalled, remember } from './remembered.js';

const place = document.getElementById('notebook');
const example = place.querySelector('pre > code').textContent.trimEnd();
const { draft } = file;

/** Of each: mark, text; what a card has; and its buttons. */
let cells = [];
let removed = draft.value?.removed ?? [];
const large = file.tooLarge.asides().map(({ text }) => text);
/** Whether the reader has edited or run something: then every cell has an editor. */
let isEditing = false;

const sayOfAll = sentence => (status.textContent = sentence);

/** What the cells from this place on run is no longer what it was. */
function changed(place) {
    cells.slice(place).forEach(showAge);
    show();
    keep();
}

function keep() {
    const why = draft.write({ text: file.source(cells), removed });
    if (why) {
        sayOfAll(why);
    }
    own.follow();
}

// The cells on the page.

/** An editor in the place of a cell's text. */
const open = (cell, takesFocus = false) => cell.code.open({
    text: cell.text,
    cursor: cell.cursor,
    first: file.firstLines(cells)[cells.indexOf(cell)],
    label: 'The code of this cell. Shift+Enter runs it and goes on, Ctrl+Enter runs it and stays.',
    keys: [() => runAndGoOn(cell), () => press(cell)],
    changed: text => {
        cell.text = text;
        changed(cells.indexOf(cell));
    },
    takesFocus,
});

async function openAll() {
    await Promise.all(cells.map(cell => open(cell)));
    isEditing = true;
    show();
}

async function edit(cell) {
    showText(cell, false);
    try {
        await openAll();
        cell.code.editor?.focus();
    } catch (error) {
        say(cell, reason(error, 'Press Edit'));
    }
}

function made({ mark = '', text = '' }) {
    const code = element('code', { className: 'language-cpp' });
    const pre = element('pre', { title: 'Click to edit', onclick: () => edit(cell) }, code);
    highlight(code, text);
    window.workbook.watch(code);
    const isLink = ({ target }) => target.closest('a');
    const prose = element('div', { className: 'notebook-text', title: 'Click to edit',
        onclick: event => isLink(event) || edit(cell) });
    const cell = {
        mark,
        text,
        prose,
        verb: 'Run',
        code: new Code(pre),
        out: element('div', { className: 'notebook-out' }),
        name: element('span', { className: 'notebook-name' }),
        /** What the result shows: what a run gave of these cells, as a file, and what cures that. */
        came: undefined,
        isOld: () => cell.came?.source !== sourceTo(cell),
        places: () => [place],
    };
    const run = button('Run', () => press(cell),
        { className: 'card-run', title: 'Ctrl+Enter; Shift+Enter runs and goes to the next cell' });
    const status = element('span', { className: 'card-status', role: 'status' });
    cell.up = button('↑', () => move(cell, -1), { title: 'Move up' });
    cell.down = button('↓', () => move(cell, 1), { title: 'Move down' });
    const forGpu = 'A CUDA program with a main that does the same, for nvcc and your own GPU';
    cell.asProgram = button('Export as a program', () => exportProgram(cell), { title: forGpu });
    cell.buttons = [
        [run, 'Run'],
        [button('Edit', () => edit(cell), { className: 'notebook-edit' }), 'Edit'],
        [button('+', () => add(cell), { title: 'Add a cell below' }), 'Add a cell below'],
        [cell.up, 'Move up'],
        [cell.down, 'Move down'],
        [button('Remove', () => remove(cell)), 'Remove'],
        [cell.asProgram, 'Export as a program'],
    ];
    const bar = element('div', { className: 'card-bar notebook-bar' }, cell.name,
        ...cell.buttons.map(([button]) => button), status);
    cell.frame = element('section', { className: 'notebook-cell' }, prose, pre, bar, cell.out);
    const place = { frame: cell.frame, run, status };
    showText(cell);
    return cell;
}

/** Shows a cell of comments as the text that it is, unless it is to be edited; whether it is one. */
function showText(cell, isShown = true) {
    const text = file.prose(cell);
    const isText = isShown && text !== undefined;
    cell.frame.classList.toggle('as-text', isText);
    cell.prose.replaceChildren(...(isText ? markdown(text) : []));
    return isText;
}

/** What a cell runs. */
const sourceTo = cell => file.sourceTo(cells, cells.indexOf(cell));

/** The page follows the cells. */
function show() {
    const first = file.firstLines(cells);
    cells.forEach((cell, number) => {
        const name = `Cell ${number + 1}`;
        cell.name.textContent = [name, file.title(cell)].filter(Boolean).join(' · ');
        cell.frame.ariaLabel = name;
        cell.buttons.forEach(([button, does]) => (button.ariaLabel =
            `${button.matches('.card-run') ? button.textContent : does}: ${name}`));
        cell.up.disabled = number === 0;
        cell.down.disabled = number === cells.length - 1;
        cell.asProgram.hidden = file.isProgram(cell) || !file.launches(cell);
        cell.code.editor?.show(cell.text, first[number]);
        if (list.children[number] !== cell.frame) {
            list.insertBefore(cell.frame, list.children[number] ?? null);
        }
    });
    place.classList.toggle('in-editor-now', isEditing);
    undo.hidden = removed.length === 0;
    rest.hidden = large.length === 0;
}

/** The page shows the notebook that is kept. */
function showKept() {
    cells.forEach(stop);
    cells.forEach(close);
    cells = file.cells(draft.value?.text ?? example).map(made);
    removed = draft.value?.removed ?? [];
    show();
    if (isEditing) {
        openAll();
    }
}

/** Shows another notebook; the one that was there is put aside. Says so, or why there is no room for that;
    then nothing has changed. */
const replace = (text, words, isLink = false) =>
    own.tryTo(() => draft.replace({ text, removed: [], isLink }), words);

function close(cell) {
    cell.code.close();
    cell.frame.remove();
}

function add(cell) {
    if (cells.length >= file.MAX_CELLS) {
        say(cell, `A notebook has at most ${file.MAX_CELLS} cells. Write this one into another, or into a ` +
            `new notebook.`);
        return;
    }
    const added = made({});
    cells.splice(cells.indexOf(cell) + 1, 0, added);
    changed(cells.indexOf(added));
    write(added);
}

/** An editor in a new cell, and what is typed before it is there. */
async function write(cell) {
    const hear = ({ target }) => {
        cell.text = target.value;
        cell.cursor = target.selectionEnd;
        changed(cells.indexOf(cell));
    };
    const area = element('textarea', { className: 'notebook-typed', ariaLabel: 'The code of this cell',
        oninput: hear });
    // MdBook would turn the page, or search.
    area.addEventListener('keydown', event => event.stopPropagation());
    cell.code.pre.before(area);
    area.focus();
    // Of which edit() says why.
    await fetchedEditor().catch(() => highlight(cell.code.pre.firstChild, cell.text));
    area.remove();
    edit(cell);
}

function move(cell, by) {
    const from = cells.indexOf(cell);
    cells.splice(from, 1);
    cells.splice(from + by, 0, cell);
    changed(Math.min(from, from + by));
    const pressed = by < 0 ? cell.up : cell.down;
    (pressed.disabled ? runOf(cell) : pressed).focus();
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
    const again = made(cell);
    cells.splice(from, 0, again);
    changed(from);
    runOf(again).focus();
    if (isEditing) {
        openAll();
    }
    sayOfAll(`Cell ${cells.indexOf(again) + 1} is back.`);
}

const runOf = cell => cell.buttons[0][0];

// Runs.

const NAME = 'notebook';
const unmark = () => cells.forEach(({ code }) => code.unmark('found', NAME));
/** The code of the cell that has this line of the file. One line past a cell's last is the next one's mark,
    which has no editor. */
function codeAt(line) {
    const place = file.firstLines(cells).findLastIndex(first => first <= line);
    return cells[place]?.code;
}
const reveal = line => codeAt(line)?.editor?.reveal(line);
const mark = site => codeAt(site.line)?.mark({ ...site, cell: NAME, kind: 'found',
    go: (file, line) => reveal(line) });

/** Shows what the cells down to this one give; whether the next cell may follow. */
async function ran(cell, signal, tell) {
    const [own] = await Promise.all([load('own_run.js'), openAll()]);
    unmark();
    const source = sourceTo(cell);
    const number = cells.indexOf(cell) + 1;
    const { came, launched } = await own.runOwn({ path: file.PATH, source, cell: number,
        launches: file.launches(cell) }, signal, tell);
    const { sites, goesOn, ...shows } = showRun(own, cell, { ...came, cures: [] });
    sites.forEach(mark);
    rememberRuns(cell);
    cell.came.cures = await addCures({ run: launched, ...shows }, curesOf(cell), signal, tell);
    rememberRuns(cell);
    return goesOn;
}

/** What cures.js needs of a cell. */
const curesOf = cell => ({
    isOld: cell.isOld,
    say: sentence => say(cell, sentence),
    show: cures => cell.out.prepend(...cures),
    take: edits => put(cell, edits),
});

/** Shows what a run of the cell gave. */
function showRun({ shown }, cell, came) {
    const run = shown(came, reveal);
    cell.came = came;
    cell.out.classList.remove('old');
    cell.out.replaceChildren(...offers(came.cures, curesOf(cell)), ...run.parts);
    say(cell, run.sentence);
    return run;
}

/** This tab remembers what cells show; `last` has run last. */
function rememberRuns(last) {
    const all = cells.filter(({ came }) => came).map(({ came }) => came);
    remember(NAME, { all, last: last.came.source });
}

/** Cells show what they showed before a reload, where that is of the same cells. */
async function recallRuns() {
    const { all = [], last } = recalled(NAME) ?? {};
    const known = cells.map(cell => [cell, all.find(({ source }) => source === sourceTo(cell))])
        .filter(([, came]) => came);
    if (known.length === 0) {
        return;
    }
    const own = await load('own_run.js');
    for (const [cell, came] of known) {
        const { sites } = showRun(own, cell, came);
        sites.filter(() => came.source === last).forEach(mark);
    }
}

/** Puts edits of what a cell runs into the cells that have these lines. */
async function put(cell, edits) {
    await openAll();
    const last = cells.indexOf(cell);
    const first = file.firstLines(cells);
    const placeOf = line => first.findLastIndex((start, place) => place <= last && start <= line);
    const own = place => edits.filter(({ line }) => placeOf(line) === place);
    const moved = place => own(place).map(edit => ({ ...edit, line: edit.line - first[place] + 1 }));
    const places = new Set(edits.map(({ line }) => placeOf(line)));
    places.forEach(place => (cells[place].text = edited(cells[place].text, moved(place))));
    changed(Math.min(...places));
    reveal(edits[0].line);
}

/** What `work` gives, in the place of all that is under way. */
async function performOnly(cell, work, again) {
    cells.forEach(stop);
    const performed = perform(cell, work, again);
    show(); // its button is Stop
    const result = await performed;
    show();
    showAge(cell);
    return result;
}

/** Runs a cell; whether those after it may follow. One of text is shown. */
const run = cell => showText(cell) || performOnly(cell, (signal, tell) => ran(cell, signal, tell));

const press = cell => runOrStop(cell, () => run(cell));

/** As in Jupyter, there is a next cell after the last one too. */
function runAndGoOn(cell) {
    press(cell);
    const next = cells[cells.indexOf(cell) + 1];
    if (next) {
        next.code.editor?.focus();
    } else {
        add(cell);
    }
}

async function runAll() {
    for (const cell of [...cells]) {
        if (!(await run(cell))) {
            return;
        }
    }
}

/** Downloads what a cell runs as a program with a `main`. */
const exportProgram = cell => performOnly(cell, async (signal, tell) => {
    const simulator = await load('simulator.js');
    const number = cells.indexOf(cell) + 1;
    const asked = ['simulate', file.PATH, '--cell', `${number}`, '--export'];
    const left = await simulator.start(asked, () => ({ [file.PATH]: sourceTo(cell) }), signal, tell);
    if (left.status !== 0) {
        say(cell, `It cannot be exported: ${simulator.refusal(left)}`);
        return;
    }
    const name = file.PATH.replace('.cu', `_cell${number}.cu`);
    save(name, left.stdout);
    say(cell, `${name} is a program. Its first lines say how nvcc builds it.`);
}, 'Press Export as a program');

// The whole notebook.

const download = () => save(file.PATH, file.source(cells));

async function take() {
    const [chosen] = input.files;
    if (!chosen) {
        return;
    }
    try {
        await taken(chosen);
    } catch {
        sayOfAll(`${chosen.name} cannot be read.`);
    }
    input.value = ''; // so that the same file can be chosen again
}

/** A UTF-8 character has at most this many bytes. */
const MAX_BYTES = 4;

/** Shows a file of the reader's, if it can be shown, and says so. */
async function taken(chosen) {
    if (chosen.size > MAX_BYTES * file.MAX_CHARACTERS) {
        sayOfAll(`${chosen.name} has ${thousands(chosen.size)} bytes; a notebook has at most ` +
            `${thousands(file.MAX_CHARACTERS)} characters. Nothing has changed.`);
        return;
    }
    const text = await chosen.text();
    const source = (chosen.name.endsWith('.ipynb') ? file.ofJupyter(text) : text).trimEnd();
    const excess = file.excess(source);
    if (excess) {
        sayOfAll(`${chosen.name} has ${excess}. Nothing has changed.`);
        return;
    }
    replace(source, `${chosen.name} is here. It runs when you press Run.`);
}

async function copy() {
    const source = file.source(cells);
    const excess = file.excess(source);
    const copied = () => edits.copyLink(place.id, { path: file.PATH, source }, 'these cells');
    sayOfAll(excess ? `There is no link: this has ${excess}.` : await copied());
}

/** The notebook of a link is shown, and runs nothing. */
async function fromLink() {
    const shared = await edits.fromLink(place.id);
    const excess = shared?.file === file.PATH && file.excess(shared.source);
    if (excess) {
        sayOfAll(`The notebook of this link has ${excess}. It is not shown, and nothing has changed.`);
    } else if (shared?.file === file.PATH) {
        replace(shared.source, 'The notebook of a link. It runs when you press Run.', true);
    } else if (shared) {
        sayOfAll('The notebook in this link cannot be read. Was it cut off, or is it of another page?');
    }
}

const list = element('div', { className: 'notebook-cells' });
const status = element('p', { className: 'card-status', role: 'status' });
const input = element('input', { type: 'file', accept: '.cu,.cuh,.txt,.ipynb', hidden: true,
    onchange: take });
const undo = button('Put the removed cell back', putBack);
const own = ownText(draft, { shown: showKept, say: sayOfAll });
const saveLarge = () => large.forEach((source, place) => save(`large-${place + 1}-${file.PATH}`, source));
const rest = button('Download what is too large', saveLarge,
    { title: 'Notebooks with more than the page shows' });
const bar = element('div', { className: 'card-bar notebook-bar notebook-all', role: 'group',
    ariaLabel: 'The whole notebook' },
    button('Run all', runAll),
    button('Export', download, { title: `Download ${file.PATH}` }),
    button('Import', () => input.click(), { title: 'A .cu file, or a notebook of Jupyter' }),
    button('Copy link', copy),
    button('Reset', () => replace(example, 'The example again. Your notebook is kept: Bring back.'),
        { title: 'The example again; your notebook is kept' }),
    own.back, undo, rest, input, status);

/** Makes the notebook of what stands in its place. */
export async function start() {
    await Promise.all(['card.css', 'notebook.css'].map(stylesheet));
    cells = file.cells(draft.value?.text ?? example).map(made);
    place.replaceChildren(bar, own.question, list);
    show();
    if (large.length > 0) {
        sayOfAll(`The browser keeps a notebook of yours with ${file.excess(large.at(-1))}. It is not shown ` +
            `here; “${rest.textContent}” saves it as a file.`);
    }
    own.watch();
    recallRuns().catch(() => {}); // a run shows them again
    addEventListener('hashchange', fromLink);
    await fromLink();
}
