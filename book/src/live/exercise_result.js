// What the judge says, which is HTML: its wide parts scroll, and the lines that it names are links.

import { parsed } from './html.js';
import { leadTo, linked } from './said.js';

/** `said` as elements. Where it names a line of the file `path`, pressing that calls `reveal` with the number. */
export function shown(said, path, reveal) {
    const made = parsed(said);
    const walker = document.createTreeWalker(made, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
        texts.push(walker.currentNode);
    }
    for (const text of texts) {
        text.replaceWith(...linked(text.data, leadTo(path, reveal)));
    }
    for (const wide of made.querySelectorAll('pre code, .table-frame')) {
        window.workbook.watch(wide);
    }
    return [...made.children];
}
