//! Pieces of HTML and Markdown that several directives are made of.

use workbook::text::columns::{Column, escape, html_table};

/// A paragraph of one of the style sheet's classes.
pub fn paragraph(class: &str, html: &str) -> String {
    format!("<p class=\"{class}\">{html}</p>\n")
}

/// A table in a frame that scrolls, by keyboard too, where the page is too narrow for it.
pub fn scrolling(columns: &[Column], label: &str) -> String {
    format!(
        "<div class=\"table-frame\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">\n{}</div>\n",
        escape(label),
        html_table(columns)
    )
}

/// A figure of the book's own: `content` without blank lines, and where it came from.
pub fn figure(content: &str, source: &str) -> String {
    format!("<figure class=\"measured\">\n{content}<figcaption>{source}</figcaption>\n</figure>\n")
}

/// The note of something that is older than the code, unless it `is_current`.
pub fn note_unless(is_current: bool, note: &str) -> String {
    if is_current { String::new() } else { format!("<p class=\"changed\" role=\"note\">{note}</p>\n") }
}

/// Blank lines around the Markdown, so that it is read as such within HTML.
pub fn folded(attributes: &str, summary: &str, markdown: &str) -> String {
    let markdown = markdown.trim_end();
    format!("<details {attributes}>\n<summary>{summary}</summary>\n\n{markdown}\n\n</details>\n\n")
}

/// `text` as a block of code whose lines mean nothing to Markdown and to mdBook.
pub fn verbatim(text: &str) -> String {
    format!("<pre><code class=\"language-text\">{}\n</code></pre>", escape(text.trim_end()))
}

/// `code` as a code block of Markdown.
pub fn fenced(language: &str, code: &str) -> String {
    let longest_run = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest_run.max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}")
}
