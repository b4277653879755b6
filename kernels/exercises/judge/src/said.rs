//! What is said of an answer, part by part: a terminal shows it as text, a page as HTML.

use ptx_simulator::Diagnostic;
use text::columns::{Column, escape, html_table, text_table, wrapped};
use view::diagnostics;

/// Columns of running text in a terminal.
const WIDTH: usize = 96;

/// A part of what is said.
pub enum Part {
    /// Running text, which a terminal breaks into lines.
    Prose(String),
    /// Lines that stand as they are, each with its end: what a compiler says, code, what a kernel printed.
    Lines(String),
    /// What a kernel printed, line by line, of which a page shows some at a time.
    Printed(String),
    /// What the simulator has found.
    Finding {
        found: Box<Diagnostic>,
        /// The file that is quoted, and its text.
        path: String,
        source: String,
    },
    /// A table, and what it shows.
    Table { columns: Vec<Column>, of: &'static str },
    /// What follows is set off from what stands above it.
    Gap,
}

impl Part {
    /// Running text.
    pub fn prose(text: impl Into<String>) -> Part {
        Part::Prose(text.into())
    }

    /// Lines that stand as they are.
    pub fn lines(text: impl Into<String>) -> Part {
        Part::Lines(text.into())
    }
}

/// `parts` for a terminal; `color` for one that shows findings in colour.
pub fn text(parts: &[Part], color: bool) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Prose(prose) => text += &paragraph(prose),
            Part::Lines(lines) | Part::Printed(lines) => text += lines,
            Part::Finding { found, path, source } => text += &finding(found, path, source, color),
            Part::Table { columns, .. } => text += &text_table(columns),
            Part::Gap => text.push('\n'),
        }
    }
    text
}

/// `parts` for a page, as HTML.
pub fn html(parts: &[Part]) -> String {
    let mut html = String::new();
    // Lines one after the other are one block.
    let mut lines = String::new();
    for part in parts {
        if !matches!(part, Part::Lines(_)) {
            html += &block(&lines);
            lines.clear();
        }
        match part {
            Part::Lines(more) => lines += more,
            Part::Printed(lines) => html += &block(lines).replacen("<pre>", "<pre class=\"printed\">", 1),
            Part::Prose(prose) => html += &format!("<p>{}</p>\n", escape(prose)),
            Part::Finding { found, path, source } => html += &block(&finding(found, path, source, false)),
            Part::Table { columns, of } => {
                let table = html_table(columns);
                html +=
                    &format!("<div class=\"table-frame\" role=\"group\" aria-label=\"{of}\">{table}</div>\n");
            }
            Part::Gap => {}
        }
    }
    html + &block(&lines)
}

/// Lines as a page shows those of a terminal; nothing for none.
fn block(lines: &str) -> String {
    if lines.is_empty() {
        return String::new();
    }
    // The browser keeps line ends here; `escape` is for prose, which has none.
    let lines: Vec<String> = lines.lines().map(escape).collect();
    format!("<pre><code class=\"language-text hljs\">{}\n</code></pre>\n", lines.join("\n"))
}

fn finding(found: &Diagnostic, path: &str, source: &str, color: bool) -> String {
    diagnostics::render(found, |file| (file == path).then_some(source), color)
}

/// `text` in lines of a terminal's width.
pub fn paragraph(text: &str) -> String {
    wrapped(text, WIDTH).join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gets_paragraphs_blocks_and_tables_and_no_html_of_the_readers() {
        let parts = [
            Part::prose("The sum is <b>7</b>."),
            Part::lines("  a[i] <= b;\n"),
            Part::lines("  c;\n"),
            Part::Gap,
            Part::Printed("<1>\n".into()),
            Part::Table { columns: vec![Column::left("counts", ["barriers"])], of: "What it costs" },
        ];
        let page = html(&parts);
        assert!(page.starts_with("<p>The sum is &lt;b&gt;7&lt;/b&gt;.</p>\n<pre>"), "{page}");
        assert_eq!(page.matches("<pre>").count(), 1, "{page}");
        assert!(
            page.contains("<pre class=\"printed\"><code class=\"language-text hljs\">&lt;1&gt;\n</code>"),
            "{page}"
        );
        assert!(page.contains("a&#91;i&#93; &lt;= b;\n  c;\n</code>"), "{page}");
        assert!(page.contains("aria-label=\"What it costs\"><table>"), "{page}");
        assert_eq!(
            text(&parts, false),
            "The sum is <b>7</b>.\n  a[i] <= b;\n  c;\n\n<1>\ncounts\nbarriers\n"
        );
    }
}
