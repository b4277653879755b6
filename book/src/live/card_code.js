// The code of a card: a listing, and in its place an editor while the reader writes, with what was found at
// its lines.

import { load, once } from './fetched.js';
import { stylesheet } from './html.js';

const KEYS = 'Tab indents; Escape, then Tab leaves.';

/** What makes an editor. Once it has been fetched no network is asked again: keys pressed after a button
    would be lost meanwhile. */
export const fetchedEditor = once(async () => {
    const [{ editor }] = await Promise.all([load('editor.js'), stylesheet('editor.css')]);
    return editor;
});

export class Code {
    /** What stands in the place of `pre`, if anything does. */
    editor = null;
    /** What is marked: { kind, cell, line, words, sentence, help, others, go }, with lines of the file. */
    marks = [];
    #bench;

    /** `frame`: what an editor hides, where that is more than `pre`. */
    constructor(pre, frame = pre) {
        this.pre = pre;
        this.frame = frame;
    }

    /** Puts an editor of `text` in its place, which gets the focus unless it is not to; whether there was
        none.
        @param {object} how
        @param {string} how.text
        @param {number} [how.cursor] where one goes on
        @param {number} how.first the number of the first line
        @param {string} how.label what a screen reader says of it and of the keys
        @param {[() => void, () => void]} how.keys what Shift+Enter does, and Ctrl+Enter
        @param {(text: string) => void} how.changed
        @param {(frame: HTMLElement) => HTMLElement} [how.around] puts the editor's frame into another one
        @param {boolean} [how.takesFocus] */
    async open({ text, cursor, first, label, keys: [goOn, stay], changed, around = frame => frame,
        takesFocus = true }) {
        const editor = await fetchedEditor();
        const isNew = !this.editor;
        if (isNew) {
            this.editor = editor({ text, cursor, first, label: `${label} ${KEYS}`,
                keys: { 'Shift-Enter': goOn, 'Mod-Enter': stay }, changed });
            this.#bench = around(this.editor.frame);
            this.frame.classList.add('in-editor');
            this.frame.after(this.#bench);
            this.marks.forEach(this.editor.mark);
        }
        if (takesFocus) {
            this.editor.focus();
        }
        return isNew;
    }

    close() {
        this.editor?.close();
        this.#bench?.remove();
        this.editor = null;
        this.frame.classList.remove('in-editor');
    }

    mark(mark) {
        this.marks.push(mark);
        this.editor?.mark(mark);
    }

    unmark(kind, cell) {
        this.marks = this.marks.filter(mark => mark.kind !== kind || mark.cell !== cell);
        this.editor?.unmark(kind, cell);
    }
}
