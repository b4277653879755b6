//! The terms of the glossary; where a page uses one, a link with the definition on hover and focus.

use std::sync::LazyLock;

use anyhow::Result;
use regex::Regex;
use workbook::text::columns::escape;

use crate::covered::out_of_snippets;
use crate::directive::{Words, pick};
use crate::page::{Page, Workbook};

/// Where the terms are defined, from the root of the repository.
pub const GLOSSARY: &str = "book/src/glossary.md";

/// A heading of the glossary and what stands below it.
pub struct Definition {
    /// `Compute capability`
    pub heading: String,
    /// As mdBook makes an anchor of the heading: `compute-capability`.
    pub slug: String,
    /// The first paragraph, as plain text.
    pub text: String,
}

/// The words as a link to a heading of the glossary.
pub fn term(page: &mut Page, words: &Words) -> Result<String> {
    let slug = words.of[0];
    let shown = words.of[1..].join(" ");
    let definitions = definitions(&page.book.read(GLOSSARY)?);
    let none = format!("{GLOSSARY} has no heading for");
    let definition = pick(definitions, slug, |definition| &definition.slug, &none)?;
    page.terms += 1;
    let id = format!("term-{}-{}", page.stem, page.terms);
    Ok(format!(
        "<span class=\"term\"><a href=\"glossary.md#{slug}\" aria-describedby=\"{id}\">{}</a><span \
         class=\"term-definition\" role=\"tooltip\" id=\"{id}\">{}</span></span>",
        emphasised(&shown),
        out_of_snippets(&escape(&definition.text))
    ))
}

/// The words as HTML. Those that are `**strong**`, `*emphasised*` or code as a whole are so in the link too.
fn emphasised(words: &str) -> String {
    for (mark, tag) in [("**", "strong"), ("*", "em"), ("`", "code")] {
        let inside = words.strip_prefix(mark).and_then(|words| words.strip_suffix(mark));
        if let Some(inside) = inside {
            return format!("<{tag}>{}</{tag}>", escape(inside));
        }
    }
    escape(words)
}

/// The definitions of a glossary: its `##` headings, each with its first paragraph.
pub fn definitions(glossary: &str) -> Vec<Definition> {
    let mut found = Vec::new();
    for section in glossary.split("\n## ").skip(1) {
        let (heading, below) = section.split_once('\n').unwrap_or((section, ""));
        let paragraph = below.trim_start().split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        found.push(Definition {
            heading: heading.trim().to_string(),
            slug: slug(heading),
            text: plain(&words.join(" ")),
        });
    }
    found
}

/// The glossary with, below each definition, the page of the story that explains the term first.
pub fn with_places(book: &Workbook, glossary: &str) -> String {
    let summary = book.read("book/src/SUMMARY.md").unwrap_or_default();
    let page = |line: &str| {
        let line = line.trim_start();
        let (title, page) = line.strip_prefix("- ").unwrap_or(line).strip_prefix('[')?.split_once("](")?;
        // The introduction shows terms before it explains them.
        let page = page.split(')').next().filter(|page| page.starts_with("ch"))?;
        Some((title.to_string(), page.to_string(), book.read(&format!("book/src/{page}")).ok()?))
    };
    let story: Vec<(String, String, String)> = summary.lines().filter_map(page).collect();
    let mut sections = glossary.split("\n## ");
    let mut out = sections.next().unwrap_or_default().to_string();
    for section in sections {
        let slug = slug(section.lines().next().unwrap_or_default());
        let directive = format!("{{{{#term {slug} ");
        let place = story.iter().find(|(_, _, text)| text.contains(&directive));
        let place =
            place.map_or(String::new(), |(title, page, _)| format!("\n\nFirst in [{title}]({page}).\n"));
        out += &format!(
            "\n## {}{place}",
            section.trim_end_matches('\n').to_owned() + if place.is_empty() { "\n" } else { "" }
        );
    }
    out
}

/// The anchor of a heading as mdBook makes it: lower case, blanks as hyphens, other signs left out.
pub fn slug(heading: &str) -> String {
    let kept = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    };
    heading.trim().chars().filter_map(kept).collect()
}

/// A link of Markdown, and its words.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[([^\]]*)\]\([^)]*\)").expect("a valid pattern"));

/// Markdown of one paragraph without its marks: of a link its words.
pub fn plain(markdown: &str) -> String {
    LINK.replace_all(markdown, "$1").replace(['`', '*'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_the_first_paragraph_below_its_heading() {
        let found = definitions(
            "# Glossary\n\nAbout.\n\n## Compute capability\n\nThe `sm_90` of\na [GPU](x.md).\n\nMore.\n",
        );
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].slug.as_str(), found[0].text.as_str()),
            ("compute-capability", "The sm_90 of a GPU.")
        );
        assert_eq!(slug("Little's law"), "littles-law");
        assert_eq!(emphasised("**warp**"), "<strong>warp</strong>");
        assert_eq!(emphasised("*grid*"), "<em>grid</em>");
        assert_eq!(emphasised("a * b"), "a &#42; b");
        assert_eq!(plain("a[i] and [b](c)"), "a[i] and b");
    }
}
