// An editor in place of a listing: CodeMirror, in the colours of the page's listings. What it is for,
// workbench.js says.

import { button, canBeColoured, element } from './html.js';
import {
    Annotation, Compartment, Decoration, EditorState, EditorView, HighlightStyle, LanguageSupport, Prec,
    StateEffect, StateField, WidgetType,
    bracketMatching, closeBrackets, closeBracketsKeymap, cppLanguage, defaultKeymap, drawSelection,
    highlightSelectionMatches,
    history, historyKeymap, indentLess, indentMore, indentOnInput, indentUnit, keymap, lineNumbers, search,
    searchKeymap,
    syntaxHighlighting, tags,
} from './vendor/codemirror.js';

// The classes of highlight.js, which follow the page's theme.
const colours = HighlightStyle.define([
    { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.definitionKeyword, tags.self],
        class: 'hljs-keyword' },
    { tag: [tags.typeName, tags.standard(tags.typeName)], class: 'hljs-type' },
    { tag: [tags.number, tags.bool, tags.null], class: 'hljs-number' },
    { tag: [tags.string, tags.character], class: 'hljs-string' },
    { tag: tags.comment, class: 'hljs-comment' },
    { tag: tags.processingInstruction, class: 'hljs-meta' },
    { tag: [tags.definition(tags.function(tags.variableName)),
        tags.function(tags.definition(tags.variableName))], class: 'hljs-title' },
]);

/** A few words below a line; when they are pressed, the sentence, what to do, and the way to the other lines
    that it is about. */
class Words extends WidgetType {
    constructor(mark) {
        super();
        this.mark = mark;
    }
    eq({ mark }) {
        return mark.words === this.mark.words && mark.sentence === this.mark.sentence
            && mark.isOpen === this.mark.isOpen;
    }
    toDOM() {
        const { kind, words, sentence, help, others = [], go, isOpen } = this.mark;
        const leads = others.map(({ file, line, words }) =>
            button(`Line ${line}: ${words}`, () => go(file, line)));
        return element('details', { className: `editor-mark ${kind}`, open: isOpen },
            element('summary', { textContent: words }), element('p', { textContent: sentence }),
            ...(help ? [element('p', {}, element('strong', { textContent: 'Help: ' }), help)] : []),
            ...(leads.length ? [element('p', { className: 'editor-leads' }, ...leads)] : []));
    }
    ignoreEvent() {
        return true;
    }
}

/** The one piece that makes a text of another: what lies around it keeps its marks. */
function change(before, after) {
    const most = Math.min(before.length, after.length);
    let from = 0;
    while (from < most && before[from] === after[from]) {
        from += 1;
    }
    let same = 0;
    while (same < most - from && before.at(-1 - same) === after.at(-1 - same)) {
        same += 1;
    }
    return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

/** Of a change that is not the reader's. */
const isShown = Annotation.define();

/** Whether something is marked that was found: the first of that is open. */
function hasFound(set) {
    for (const at = set.iter(); at.value; at.next()) {
        if (at.value.spec.mark.kind === 'found') {
            return true;
        }
    }
    return false;
}

const addMark = StateEffect.define();
const removeMarks = StateEffect.define();
const marks = StateField.define({
    create: () => Decoration.none,
    update(set, { changes, effects, state }) {
        let now = set.map(changes);
        for (const effect of effects) {
            if (effect.is(removeMarks)) {
                now = now.update({ filter: (from, to, { spec: { mark } }) =>
                    !(mark.kind === effect.value.kind && mark.cell === effect.value.cell) });
            } else if (effect.is(addMark)) {
                const { from, to } = state.doc.line(effect.value.line);
                const isOpen = effect.value.kind === 'found' && !hasFound(now);
                const mark = { ...effect.value, isOpen };
                const band = Decoration.line({ class: `cm-${mark.kind}`, mark }).range(from);
                const words = Decoration.widget({ widget: new Words(mark), block: true, side: 1 + now.size,
                    mark }).range(to);
                now = now.update({ add: mark.words ? [band, words] : [band], sort: true });
            }
        }
        return now;
    },
    provide: field => EditorView.decorations.from(field),
});

/** An editor of `text`, whose first line has the number `first`, and with `cursor` characters before the
    cursor; with the `label` that a screen reader says. `keys`: what Shift+Enter, Ctrl+Enter, … do; `changed`
    hears every edit. */
export function editor({ text, cursor = 0, first, label, keys, changed }) {
    const numbers = new Compartment();
    const numbered = () => lineNumbers({ formatNumber: line => String(line + first - 1) });
    const language = new Compartment();
    let isColoured = canBeColoured(text);
    const view = new EditorView({
        doc: text,
        selection: { anchor: Math.min(cursor, text.length) },
        extensions: [
            Prec.highest(keymap.of(Object.entries(keys)
                .map(([key, act]) => ({ key, run: () => (act(), true) })))),
            keymap.of([{ key: 'Tab', run: insertSpaces, shift: indentLess }, ...closeBracketsKeymap,
                ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
            numbers.of(numbered()),
            history(), drawSelection(), closeBrackets(),
            search({ top: true }), indentUnit.of('    '), EditorState.tabSize.of(4),
            language.of(languageFor(text)), marks,
            EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', spellcheck: 'false',
                autocapitalize: 'off', autocorrect: 'off' }),
            EditorView.updateListener.of(({ docChanged, state, transactions }) => {
                if (docChanged && !transactions.some(transaction => transaction.annotation(isShown))) {
                    changed(state.doc.toString());
                }
                if (docChanged) {
                    followLanguage(state.doc.toString());
                }
            }),
        ],
    });
    /** A text that the reader has made too long to be coloured, or short enough. */
    const followLanguage = text => {
        if (canBeColoured(text) !== isColoured) {
            isColoured = !isColoured;
            // Not within the update that has changed the text.
            setTimeout(() =>
                view.dispatch({ effects: language.reconfigure(languageFor(view.state.doc.toString())) }));
        }
    };
    const frame = element('div', { className: 'editor hljs' }, view.dom);
    // mdBook would turn the page, or search.
    frame.addEventListener('keydown', event => event.stopPropagation());
    return {
        frame,
        focus: () => view.focus(),
        /** Shows another text, of which nobody need be told. Undo takes it back, as what the reader does. */
        show(text, line) {
            if (line !== first) {
                first = line;
                view.dispatch({ effects: numbers.reconfigure(numbered()) });
            }
            const before = view.state.doc.toString();
            if (text !== before) {
                view.dispatch({ changes: change(before, text), annotations: isShown.of(true),
                    userEvent: 'show' });
            }
        },
        /** Marks a line of the file: `words` below it, and when they are pressed `sentence`, `help`, and
            `others`, places to which `go(file, line)` leads. */
        mark(mark) {
            const line = mark.line - first + 1;
            if (line >= 1 && line <= view.state.doc.lines) {
                view.dispatch({ effects: addMark.of({ ...mark, line }) });
            }
        },
        unmark: (kind, cell) => view.dispatch({ effects: removeMarks.of({ kind, cell }) }),
        /** Goes to a line of the file. */
        reveal(number) {
            const { from } = view.state.doc.line(Math.min(Math.max(number - first + 1, 1),
                view.state.doc.lines));
            view.dispatch({ selection: { anchor: from },
                effects: EditorView.scrollIntoView(from, { y: 'center' }) });
            view.focus();
        },
        close: () => view.destroy(),
    };
}

/** What reads the code to colour it, to indent it and to pair its brackets; nothing of a text that this would
    take seconds for. */
const languageFor = text => canBeColoured(text)
    ? [new LanguageSupport(cppLanguage), syntaxHighlighting(colours), indentOnInput(), bracketMatching(),
        highlightSelectionMatches()]
    : [];

/** Blanks up to the next stop, as the kernels are written; or the selected lines to the right. */
function insertSpaces(view) {
    const { main } = view.state.selection;
    if (!main.empty) {
        return indentMore(view);
    }
    const column = main.head - view.state.doc.lineAt(main.head).from;
    view.dispatch(view.state.replaceSelection(' '.repeat(4 - (column % 4))),
        { scrollIntoView: true, userEvent: 'input' });
    return true;
}
