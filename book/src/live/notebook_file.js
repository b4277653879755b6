// A notebook as one file of CUDA C++: a line `// %%` begins a cell. What the browser keeps of it.

import { checked, get, set } from './kept.js';

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
export const source = (cells, last = cells.length - 1) =>
    cells.slice(0, last + 1).map(({ mark, text }, place) => (place || mark ? `${mark || PLAIN}\n` : '') + text).join('\n');

/** The number of the first line of cell `place` in the file. */
export const firstLine = (cells, place) => (place ? source(cells, place - 1).split('\n').length : 0) + (place || cells[place].mark ? 2 : 1);

/** What stands behind a cell's mark. */
export const title = ({ mark }) => mark.replace(MARK, '').trim();

/** Whether a cell launches something. */
export const launches = ({ text }) => /^\s*\/\/@/m.test(text);

const KEY = 'workbook-notebook';

const isNotebook = ({ source, removed, others }) => typeof source === 'string' && [removed, others].every(Array.isArray);

/** What the browser keeps: `source`; `removed`: cells with their places; `others`: notebooks that made way for another. */
export const kept = () => checked(get(KEY), isNotebook);
export const keep = notebook => set(KEY, JSON.stringify(notebook));
