// What book/src/live/editor.js takes of CodeMirror 6; `bundle` makes one file of it.

export { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
export { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
export { cppLanguage } from '@codemirror/lang-cpp';
export { HighlightStyle, LanguageSupport, bracketMatching, indentOnInput, indentUnit,
    syntaxHighlighting } from '@codemirror/language';
export { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
export { Annotation, Compartment, EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
export { Decoration, EditorView, WidgetType, drawSelection, keymap, lineNumbers } from '@codemirror/view';
export { tags } from '@lezer/highlight';
