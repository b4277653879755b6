// What came of the reader's own source: of kernels, findings, buffers as tables and drawings, counters,
// steps; of a program, its output, findings and kernels. `leads` makes links of its lines.

import { note, printed, said, steps } from './card_result.js';
import { element, framed as frame, parsed, terminal } from './html.js';
import { picture as drawn } from './picture.js';

const framed = (html, label) => frame(parsed(html), label);
const fold = (title, ...parts) => element('details', {}, element('summary', { textContent: title }),
    ...parts);

/** Where `save` writes. */
export const SAVED = 'saved/';

/** A link to a file that the run has written. */
function download([path, data]) {
    const name = path.replace(SAVED, '');
    const save = event => {
        event.currentTarget.href = URL.createObjectURL(new Blob([new Uint8Array(data)]));
    };
    return note('Saved: ', element('a', { href: '#', download: name, textContent: name, onclick: save }));
}

/** What kernels gave; `command` gives it in a terminal, and these files were `saved`. */
export function result(answer, { command, saved }, leads) {
    const { status, stdout, messages, wrong, printed: written, buffers, counts, note: about, film } = answer;
    const held = buffers.flatMap(({ title, table, plot, picture }) => [
        note(title),
        ...(plot ? [parsed(plot)] : []),
        ...(picture ? [drawn(picture)] : []),
        framed(table, title),
    ]);
    const results = [
        ...(written ? printed(written, leads) : []),
        ...held,
        ...saved.map(download),
        fold('Counters', framed(counts, 'Counters'), note(about)),
        ...(film ? [steps([film])] : []),
        fold('In a terminal', note(element('code', { textContent: command }), ' prints:'),
            said(stdout, leads)),
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

/** What a whole program gave, which has `saved` these files. */
export function resultOfProgram({ printed: [out, error], messages, notes, kernels, film }, saved, leads) {
    return [
        ...output(out, 'stdout'),
        ...output(error, 'stderr'),
        ...notes.map(sentence => note(sentence)),
        ...messages.map(message => said(message, leads)),
        ...(kernels ? [framed(kernels, 'Kernels')] : []),
        ...saved.map(download),
        ...(film ? [steps([film])] : []),
    ];
}
