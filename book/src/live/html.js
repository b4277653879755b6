// Small pieces of HTML, and of English.

import { file } from './fetched.js';

export const { element, thousands } = window.workbook;

export const button = (textContent, onclick, more) =>
    element('button', { type: 'button', textContent, onclick, ...more });

/** A table in a frame that scrolls, as the others of the page do. */
export function framed(table, label) {
    const frame = element('div', { className: 'table-frame', role: 'group', ariaLabel: label }, table);
    window.workbook.watch(frame);
    return frame;
}

/** Text in a frame that scrolls, as a terminal has it. */
export function terminal(...parts) {
    const code = element('code', { className: 'language-text hljs' }, ...parts);
    window.workbook.watch(code);
    return element('pre', {}, code);
}

/** Characters of a text, and of one of its lines, above which code is shown without colours: finding these
    takes seconds. */
const MAX_COLOURED = 200_000;
const MAX_COLOURED_LINE = 2_000;

export function canBeColoured(text) {
    if (text.length > MAX_COLOURED) {
        return false;
    }
    return text.split('\n').every(({ length }) => length <= MAX_COLOURED_LINE);
}

/** Shows code in the colours of the page's listings. */
export function highlight(code, text) {
    code.textContent = text;
    if (canBeColoured(text)) {
        window.hljs?.highlightBlock(code);
    } else {
        code.classList.add('hljs');
    }
}

/** Gives the reader `text` as a file. */
export function save(name, text, type = 'text/plain') {
    const address = URL.createObjectURL(new Blob([text], { type }));
    element('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000); // a browser may come for it later
}

/** HTML of our own, from the program that made the page's. */
export const parsed = html => element('template', { innerHTML: html }).content;

const sheets = new Map();

/** A style sheet of live/, fetched as its other files are. Those that come first have the first place. */
export async function stylesheet(name) {
    const style = sheets.get(name) ?? document.head.appendChild(element('style'));
    sheets.set(name, style);
    style.textContent ||= await file(name);
}

/** `3 errors`, `1 error`; `many` where the plural is not formed with an s. */
export const counted = (number, word, many = `${word}s`) => `${number} ${number === 1 ? word : many}`;
