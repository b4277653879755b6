//! A term of the glossary where a page uses it: a link, with the definition on hover and focus.

use anyhow::{Result, bail};
use workbook::record::columns::escape;

use crate::glossary::GLOSSARY;
use crate::page::Page;
use crate::words::{Words, list};

/// The words as a link to a heading of the glossary.
pub fn term(page: &mut Page, words: &Words) -> Result<String> {
    let (slug, shown) = (words.of[0], words.of[1..].join(" "));
    let definitions = page.book.glossary()?;
    let Some(definition) = definitions.iter().find(|definition| definition.slug == slug) else {
        let there_are = list(definitions.iter().map(|one| &one.slug));
        bail!("{GLOSSARY} has no heading for `{slug}`; there are: {there_are}");
    };
    page.terms += 1;
    let id = format!("term-{}-{}", page.stem, page.terms);
    Ok(format!(
        "<span class=\"term\"><a href=\"glossary.md#{slug}\" aria-describedby=\"{id}\">{}</a><span \
         class=\"term-definition\" role=\"tooltip\" id=\"{id}\">{}</span></span>",
        escape(&shown),
        escape(&definition.text)
    ))
}
