// What axe finds in mdBook's own page frame, and why it stays: the frame is not ours to change without a copy
// of mdBook's template, which would have to follow each of its releases. An entry that no page needs any more
// is reported. `rule` is axe's name of the rule; `target` is matched against axe's selector of the element.

module.exports = [
    // The switch of the sidebar is a <label> that carries the attributes of a button. Reported upstream:
    // https://github.com/rust-lang/mdBook/issues/2345, and https://github.com/rust-lang/mdBook/pull/3078
    // mends it.
    { rule: 'aria-allowed-attr', target: /^#mdbook-sidebar-toggle$/ },
    { rule: 'aria-prohibited-attr', target: /^#mdbook-sidebar-toggle$/ },
    // The menu bar, with the book's title and the buttons, is a <div>, not a <header>. We know of no report
    // upstream.
    { rule: 'region', target: /^(#mdbook-sidebar-toggle|\.menu-title|\.right-buttons)$/ },
];
