//! The title page and the contents, which stand before the introduction on paper alone.

use workbook::text::columns::escape;

use crate::page::Workbook;

/// `title` and the pages of the summary with their numbers, as HTML that a screen doesn't show; nothing where
/// there is no summary.
pub fn title_page(book: &Workbook, title: &str) -> String {
    let Ok(summary) = book.read("book/src/SUMMARY.md") else { return String::new() };
    let (name, of) = title.split_once(": ").unwrap_or((title, ""));
    let mut counts: Vec<usize> = Vec::new();
    let mut lines = String::new();
    for line in summary.lines() {
        let item = line.trim_start();
        let Some((words, page)) =
            item.trim_start_matches("- ").strip_prefix('[').and_then(|item| item.split_once("]("))
        else {
            continue;
        };
        let level = if item.starts_with("- ") { (line.len() - item.len()) / 2 + 1 } else { 0 };
        let mut number = String::new();
        if level > 0 {
            counts.resize(level, 0);
            counts[level - 1] += 1;
            number = counts.iter().map(usize::to_string).collect::<Vec<_>>().join(".") + " · ";
        }
        let page = page.trim_end_matches(')');
        lines +=
            &format!("<li class=\"level-{level}\"><a href=\"{page}\">{number}{}</a></li>\n", escape(words));
    }
    let [name, of] = [name, of].map(escape);
    format!(
        "<div class=\"title-page\" aria-hidden=\"true\">\n<p class=\"title\">{name}</p>\n<p \
         class=\"of\">{of}</p>\n<ul>\n{lines}</ul>\n</div>\n\n"
    )
}
