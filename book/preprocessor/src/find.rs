//! Finds the directives of a page: `{{#name arguments}}`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// One directive, not yet understood.
#[derive(Debug)]
pub struct Found<'a> {
    /// Its bytes in the page, braces included.
    pub range: Range<usize>,
    /// Line in the page, from 1.
    pub line: usize,
    pub name: &'a str,
    pub words: Vec<&'a str>,
    /// Whether `}}` follows on the same line.
    pub closed: bool,
    /// Whether it has its line for itself, from the first column on.
    pub alone: bool,
    /// Whether it stands in a fenced code block.
    pub fenced: bool,
}

/// On one line; an escaped one with its backslash.
static DIRECTIVE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\\?\{\{\s*#(.*?)(\}\}|\s*$)").expect("a valid pattern"));

/// The start or end of a code block (CommonMark 0.31, 4.5).
static FENCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ {0,3}(`{3,}|~{3,})(.*)$").expect("a valid pattern"));

/// The directives of `page` in order, those escaped as `\{{#` left out.
pub fn find(page: &str) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut start = 0;
    for (line, text) in (1..).zip(page.split_inclusive('\n')) {
        fence = after_line(fence, text.trim_end());
        for captures in DIRECTIVE.captures_iter(text) {
            let (whole, [inside, end]) = captures.extract();
            let Some(at) = captures.get(0).filter(|_| !whole.starts_with('\\')) else { continue };
            let mut words = inside.split_whitespace();
            found.push(Found {
                range: start + at.start()..start + at.end(),
                line,
                name: words.next().unwrap_or(""),
                words: words.collect(),
                closed: end == "}}",
                alone: at.start() == 0 && text[at.end()..].trim().is_empty(),
                fenced: fence.is_some(),
            });
        }
        start += text.len();
    }
    found
}

/// The fence that is open after `line`: its run of backticks or tildes; closed by at least as many.
fn after_line<'a>(open: Option<&'a str>, line: &'a str) -> Option<&'a str> {
    let Some(captures) = FENCE.captures(line) else { return open };
    let (_, [run, rest]) = captures.extract();
    match open {
        Some(open) => Some(open).filter(|_| !run.starts_with(open) || !rest.is_empty()),
        None => Some(run).filter(|_| run.starts_with('~') || !rest.contains('`')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(page: &str) -> Vec<(usize, &str)> {
        find(page).into_iter().map(|directive| (directive.line, directive.name)).collect()
    }

    #[test]
    fn finds_them_with_their_lines_and_arguments() {
        let page = "text\n{{#cell ch4_nested}}\n\nIt took {{#value a b n=1 time}} and {{ #record  x }}.\n";
        let found = find(page);
        assert_eq!(names(page), [(2, "cell"), (4, "value"), (4, "record")]);
        assert_eq!(found[1].words, ["a", "b", "n=1", "time"]);
        assert_eq!(&page[found[0].range.clone()], "{{#cell ch4_nested}}");
        assert_eq!(&page[found[2].range.clone()], "{{ #record  x }}");
        assert!(found[0].alone && !found[1].alone);
    }

    #[test]
    fn leaves_escaped_ones_and_other_braces() {
        assert_eq!(names(r"`\{{#cell x}}` {{x}} {{ }} { {#cell x}}"), []);
        assert_eq!(names(r"\{{#cell x}} {{#cell y}}"), [(1, "cell")]);
    }

    #[test]
    fn notices_when_the_end_is_missing() {
        assert!(!find("{{#cell x\n}}")[0].closed);
    }

    #[test]
    fn knows_code_blocks() {
        let page = "```c\n{{#a}}\n````\n{{#b}}\n~~~\n{{#c}}\n```\n{{#d}}\n~~~\n`` ``` ``\n{{#e}}\n";
        let fenced: Vec<_> =
            find(page).into_iter().map(|directive| (directive.name, directive.fenced)).collect();
        assert_eq!(fenced, [("a", true), ("b", false), ("c", true), ("d", true), ("e", false)]);
    }
}
