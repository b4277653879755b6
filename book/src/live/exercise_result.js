// What the judge says, as HTML: paragraphs in place of the terminal's lines, tables in place of its columns.

import { element, framed, terminal } from './html.js';
import { leadTo, linked } from './said.js';

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
    return framed(made, 'What the answer costs');
}

/** `said` as elements. Where it names a line of the file `path`, pressing that calls `reveal` with the number. */
export function shown(said, path, reveal) {
    const pieces = text => linked(text, leadTo(path, reveal));
    const MADE = {
        p: lines => joined(lines).split('\n').map(line => element('p', {}, ...pieces(line))),
        table: lines => [table(lines)],
        pre: lines => [terminal(...pieces(`${lines.join('\n')}\n`))],
    };
    const blocks = said.trimEnd().split(/\n\n+/).filter(Boolean);
    return blocks.flatMap(parts).flatMap(({ kind, lines }) => MADE[kind](lines));
}
