// What the judge says, as HTML: paragraphs in place of the terminal's lines, tables in place of its columns.

import { element } from './html.js';

/** Columns of the terminal's running text. */
const WIDTH = 96;

/** Lines that are broken for their length alone become one. */
function joined(lines) {
    const isBroken = place => {
        const [word] = lines[place].split(' ');
        return lines[place - 1].length + 1 + word.length > WIDTH;
    };
    return lines.reduce((text, line, place) => (place === 0 ? line : `${text}${isBroken(place) ? ' ' : '\n'}${line}`), '');
}

const IS_MESSAGE = /^\s*(?:-->|\d* \|)|\(\d+\): (?:fatal )?(?:error|warning): /m;
const IS_TABLE = /^(?:counts |\s+your first answer )/;

/** Prose, or lines that stand as they are: those that are indented, and messages with the source. */
function parts(block) {
    const lines = block.split('\n');
    if (IS_MESSAGE.test(block)) {
        return [{ kind: 'pre', lines }];
    }
    const found = [];
    for (const line of lines) {
        const isTable = IS_TABLE.test(line) || (found.at(-1)?.kind === 'table' && / {2}/.test(line));
        const kind = isTable ? 'table' : line.startsWith(' ') ? 'pre' : 'p';
        if (found.at(-1)?.kind !== kind) {
            found.push({ kind, lines: [] });
        }
        found.at(-1).lines.push(line);
    }
    return found;
}

function table(lines) {
    const [head, ...rows] = lines.map(line => line.trim().split(/ {2,}/));
    const width = Math.max(...rows.map(row => row.length));
    const names = [...Array(Math.max(0, width - head.length)).fill(''), ...head];
    const cell = (tag, text, place) => element(tag, { textContent: text, className: place ? 'number' : '' });
    const row = (tag, cells) => element('tr', {}, ...names.map((_, place) => cell(tag, cells[place] ?? '', place)));
    const made = element('table', {}, element('thead', {}, row('th', names)), element('tbody', {}, ...rows.map(cells => row('td', cells))));
    return framed(made);
}

function framed(table) {
    const frame = element('div', { className: 'table-frame', role: 'group', ariaLabel: 'What the answer costs' }, table);
    window.workbook.watch(frame);
    return frame;
}

/** `said` as elements. Where it names a line of the file `path`, pressing that calls `reveal` with the number. */
export function shown(said, path, reveal) {
    const place = new RegExp(`(${path.replaceAll('.', '\\.')}[:(]\\d+)`);
    const linked = text => text.split(place).map(part => {
        if (!place.test(part)) {
            return part;
        }
        const link = element('a', { href: '#', textContent: part });
        link.addEventListener('click', event => {
            event.preventDefault();
            reveal(Number(part.match(/\d+$/)[0]));
        });
        return link;
    });
    const MADE = {
        p: lines => joined(lines).split('\n').map(line => element('p', {}, ...linked(line))),
        table: lines => [table(lines)],
        pre: lines => {
            const code = element('code', { className: 'language-text hljs' }, ...linked(`${lines.join('\n')}\n`));
            window.workbook.watch(code);
            return [element('pre', {}, code)];
        },
    };
    const blocks = said.trimEnd().split(/\n\n+/).filter(Boolean);
    return blocks.flatMap(parts).flatMap(({ kind, lines }) => MADE[kind](lines));
}
