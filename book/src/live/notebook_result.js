// What came of a notebook's cell: findings, buffers as tables and drawings, counters, steps.

import { element, parsed } from './html.js';
import { folded } from './steps.js';

function framed(html, label) {
    const frame = element('div', { className: 'table-frame', role: 'group', ariaLabel: label }, parsed(html));
    window.workbook.watch(frame);
    return frame;
}

/** Text as a terminal shows it; the line numbers before a `|`, or behind the file's name, lead to their lines. */
function said(text, reveal) {
    const code = element('code', { className: 'language-text hljs' });
    const linked = line => {
        const [, before, number, after] = line.match(/^(\s*)(\d+)( \|.*)$/) ?? line.match(/^(\S+\()(\d+)(\): .*)$/) ?? [];
        if (!number) {
            return [`${line}\n`];
        }
        const link = element('a', { href: '#notebook', textContent: number });
        link.addEventListener('click', event => {
            event.preventDefault();
            reveal(Number(number));
        });
        return [before, link, `${after}\n`];
    };
    code.append(...text.trimEnd().split('\n').flatMap(linked));
    window.workbook.watch(code);
    return element('pre', {}, code);
}

const head = (...words) => element('p', { className: 'cell-note' }, ...words);
const fold = (title, ...parts) => element('details', {}, element('summary', { textContent: title }), ...parts);

/** A link to a file that the run has written. */
function download({ name, data }) {
    const save = event => {
        event.currentTarget.href = URL.createObjectURL(new Blob([data]));
    };
    return head('Saved: ', element('a', { href: '#notebook', download: name, textContent: name, onclick: save }));
}

/** What the compiler says. */
export const compilerSaid = (text, reveal) => [head('The compiler says:'), said(text, reveal)];

/** What the program says of a file or a launch that it cannot take. */
export const refused = (text, reveal) => [said(text, reveal)];

/** What a run gave; `command` gives it in a terminal. */
export function result(answer, command, reveal) {
    const { status, stdout, saved, messages, wrong, printed, buffers, counts, note, film } = answer;
    const held = buffers.flatMap(({ title, table, plot }) => [head(title), ...(plot ? [parsed(plot)] : []), framed(table, title)]);
    const results = [
        ...(printed ? [head('The kernel printed:'), said(printed, reveal)] : []),
        ...held,
        ...saved.map(download),
        fold('Counters', framed(counts, 'Counters'), head(note)),
        ...(film ? [folded([film])] : []),
        fold('In a terminal', head(element('code', { textContent: command }), ' prints:'), said(stdout, reveal)),
    ];
    return [
        ...messages.map(message => said(message, reveal)),
        ...wrong.map(sentence => head(`Not as expected: ${sentence}`)),
        ...(status === 2 ? [] : results),
    ];
}
