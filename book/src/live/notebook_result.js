// What came of a notebook's cell: findings, buffers as tables and drawings, counters, steps.

import { element, framed as frame, parsed, scrolled, terminal } from './html.js';
import { PATH } from './notebook_file.js';
import { leadTo, linked } from './said.js';
import { folded } from './steps.js';

const framed = (html, label) => frame(parsed(html), label);
/** Text as a terminal shows it, whose lines' numbers lead to them. */
export const said = (text, reveal) => terminal(...linked(`${text.trimEnd()}\n`, leadTo(PATH, reveal)));
const head = (...words) => element('p', { className: 'cell-note' }, ...words);
const fold = (title, ...parts) => element('details', {}, element('summary', { textContent: title }), ...parts);

/** What the page gives a run, and what it shows. */
const GIVEN = /^(?:notebook\.\w+|shown\.json)$/;

/** A link to a file that the run has written. */
function download([name, data]) {
    const save = event => {
        event.currentTarget.href = URL.createObjectURL(new Blob([data]));
    };
    return head('Saved: ', element('a', { href: '#notebook', download: name, textContent: name, onclick: save }));
}

/** What a run gave; `command` gives it in a terminal. */
export function result(answer, command, reveal) {
    const { status, stdout, files, messages, wrong, printed, buffers, counts, note, film } = answer;
    const held = buffers.flatMap(({ title, table, plot }) => [head(title), ...(plot ? [parsed(plot)] : []), framed(table, title)]);
    const results = [
        ...(printed ? [head('The kernel printed:'), scrolled(printed)] : []),
        ...held,
        ...[...files].filter(([name]) => !GIVEN.test(name)).map(download),
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
