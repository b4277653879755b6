// A notebook as one file of CUDA C++: a line `// %%` begins a cell. What the browser keeps of it.

import { thousands } from './html.js';
import { checked, kept } from './store.js';

export const PATH = 'notebook.cu';

const MARK = /^\/\/ ?%%/;
/** What begins a cell that has not said otherwise. */
const PLAIN = '// %%';

/** The cells of a file: { mark, text }; the first one's mark is empty where the file begins without. */
export function cells(source) {
    const all = [{ mark: '', lines: [] }];
    for (const line of source.replace(/\r\n?/g, '\n').split('\n')) {
        if (MARK.test(line)) {
            all.push({ mark: line, lines: [] });
        } else {
            all.at(-1).lines.push(line);
        }
    }
    if (all.length > 1 && all[0].lines.length === 0) {
        all.shift();
    }
    return all.map(({ mark, lines }) => ({ mark, text: lines.join('\n') }));
}

/** The file down to the end of cell `last`. */
export const source = (cells, last = cells.length - 1) => {
    const marked = ({ mark, text }, place) => (place || mark ? `${mark || PLAIN}\n` : '') + text;
    return cells.slice(0, last + 1).map(marked).join('\n');
};

/** Whether a cell is a whole program. */
export const isProgram = ({ text }) => /\b(?:int|void|auto)\s+main\s*\(/.test(text);

/** What the cell `last` runs: the file down to its end, in which the lines of programs before it are empty.
    */
export function sourceTo(cells, last) {
    const isLeftOut = (cell, place) => place < last && isProgram(cell);
    const without = ({ mark, text }) => ({ mark, text: text.replace(/[^\n]+/g, '') });
    return source(cells.map((cell, place) => (isLeftOut(cell, place) ? without(cell) : cell)), last);
}

/** The numbers of the first lines of all cells in the file. */
export function firstLines(cells) {
    const numbers = [];
    let next = 1;
    cells.forEach(({ mark, text }, place) => {
        next += place || mark ? 1 : 0;
        numbers.push(next);
        next += linesOf(text);
    });
    return numbers;
}

function linesOf(text) {
    let count = 1;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
        count++;
    }
    return count;
}

/** Cells, and characters, that a notebook has at most: each cell is an editor, and the page stands still
    until all are there. */
export const MAX_CELLS = 200;
export const MAX_CHARACTERS = 1_000_000;

/** Why a file is more than the page shows as a notebook; nothing if it is not. */
export function excess(source) {
    if (source.length > MAX_CHARACTERS) {
        return `${thousands(source.length)} characters; a notebook has at most ${thousands(MAX_CHARACTERS)}`;
    }
    const count = cells(source).length;
    return count > MAX_CELLS ? `${thousands(count)} cells; a notebook has at most ${MAX_CELLS}` : undefined;
}

/** What stands behind a cell's mark; of a long one, the beginning. */
export const title = ({ mark }) => mark.slice(0, 100).replace(MARK, '').trim();

/** Whether a cell launches something. */
export const launches = ({ text }) => /^[ \t]*\/\/(?:@|[ \t]+@[ \t]*launch\b)/m.test(text);

const COMMENT = /^[ \t]*\/\/(?![ \t]*@) ?(.*)$/;

/** The text of a cell of comments alone, without their slashes; nothing of any other cell. */
export function prose({ text }) {
    const lines = text.trim().split('\n').map(line => (line.trim() === '' ? '' : line.match(COMMENT)?.[1]));
    return lines.includes(undefined) || text.trim() === '' ? undefined : lines.join('\n');
}

/** The cells of a notebook of Jupyter, as a file. Its text becomes comments, and magic commands such as
    `%%cu` are left out. Fails on what is none. */
export function ofJupyter(text) {
    const linesOf = ({ source }) => [source].flat().join('').split('\n');
    const code = cell => linesOf(cell).filter(line => !/^\s*[%!]/.test(line));
    const comment = cell => linesOf(cell).map(line => `// ${line}`.trimEnd());
    const all = JSON.parse(text).cells.map(cell => (cell.cell_type === 'code' ? code : comment)(cell)
        .join('\n').trim());
    return all.filter(Boolean).map(cell => `${PLAIN}\n${cell}`).join('\n');
}

const isText = value => typeof value === 'string';
const isOlder = ({ source, removed, others }) => isText(source) && [removed, others].every(Array.isArray);

/** What an older edition of this page kept: { source, removed, others, large }. */
function older(text) {
    const notebook = checked(text, isOlder);
    if (!notebook) {
        return undefined;
    }
    const { source, removed, others, large = [] } = notebook;
    const isLarge = text => excess(text) !== undefined;
    for (const text of [...large, source, ...others].filter(text => isText(text) && isLarge(text))) {
        tooLarge.putAside({ text });
    }
    return {
        value: isLarge(source) ? undefined : { text: source, removed },
        asides: others.filter(text => isText(text) && !isLarge(text)).map(text => ({ text, removed: [] })),
    };
}

/** Notebooks that are more than the page shows, put aside. */
export const tooLarge = kept('workbook-large-notebooks');

/** The notebook as store.js keeps it: { text, removed, isLink }, where `removed` are cells with their places.
    */
export const draft = kept('workbook-notebook', older);
