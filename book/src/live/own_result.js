// What came of a notebook's cell: findings, buffers as tables and drawings, counters, steps; or a program's output and kernels.

import { leadTo, note, printed, said, steps } from './card_result.js';
import { element, framed as frame, parsed, terminal } from './html.js';
import { PATH } from './notebook_file.js';

const framed = (html, label) => frame(parsed(html), label);
/** What makes links of lines of the notebook. */
export const lead = reveal => leadTo(PATH, reveal);
const fold = (title, ...parts) => element('details', {}, element('summary', { textContent: title }), ...parts);

/** What the page gives a run, and what it shows. */
const GIVEN = /^(?:notebook\.\w+|program\.json|shown\.json)$/;

/** A link to a file that the run has written. */
function download([name, data]) {
    const save = event => {
        event.currentTarget.href = URL.createObjectURL(new Blob([data]));
    };
    return note('Saved: ', element('a', { href: '#notebook', download: name, textContent: name, onclick: save }));
}

const downloads = files => [...files].filter(([name]) => !GIVEN.test(name)).map(download);

/** What a run gave; `command` gives it in a terminal. */
export function result(answer, command, reveal) {
    const { status, stdout, files, messages, wrong, printed: written, buffers, counts, note: about, film } = answer;
    const leads = lead(reveal);
    const held = buffers.flatMap(({ title, table, plot }) => [note(title), ...(plot ? [parsed(plot)] : []), framed(table, title)]);
    const results = [
        ...(written ? printed(written, leads) : []),
        ...held,
        ...downloads(files),
        fold('Counters', framed(counts, 'Counters'), note(about)),
        ...(film ? [steps([film])] : []),
        fold('In a terminal', note(element('code', { textContent: command }), ' prints:'), said(stdout, leads)),
    ];
    return [
        ...messages.map(message => said(message, leads)),
        ...wrong.map(sentence => said(`not as expected: ${sentence}`, leads)),
        ...(status === 2 ? [] : results),
    ];
}

/** What a program wrote to one of its streams, in a box that scrolls. */
function output(text, stream) {
    const box = terminal(text);
    box.classList.add('printed');
    return text ? [note('The program printed to ', element('code', { textContent: stream }), ':'), box] : [];
}

/** What a whole program gave. */
export function resultOfProgram({ printed: [out, error], files, messages, notes, kernels, film }, reveal) {
    const leads = lead(reveal);
    return [
        ...output(out, 'stdout'),
        ...output(error, 'stderr'),
        ...notes.map(sentence => note(sentence)),
        ...messages.map(message => said(message, leads)),
        ...(kernels ? [framed(kernels, 'Kernels')] : []),
        ...downloads(files),
        ...(film ? [steps([film])] : []),
    ];
}
