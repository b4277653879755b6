//! Replaces the directives of a page, and collects everything that is wrong with them.

use std::fmt;
use std::path::Path;

use anyhow::{Result, bail};

use crate::directives::{Directive, find};
use crate::records::list;
use crate::{
    Workbook, cell, code, exercise, figure, films, kernels, ncu, record, space, speed, table, term, value,
};

/// A directive that cannot be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The page, as it was named to [`expand`].
    pub page: String,
    /// From 1.
    pub line: usize,
    pub directive: String,
    /// What is missing or wrong, what there is, and what to do.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message.replace('\n', "\n  ");
        write!(f, "{}:{}: {}\n  {message}", self.page, self.line, self.directive)
    }
}

/// What is counted on a page.
pub struct Page {
    /// `ch3_blocks`
    pub stem: String,
    pub cells: usize,
    pub terms: usize,
}

/// Directives that stand alone on their line.
const BLOCKS: [&str; 12] = [
    "figure", "cell", "table", "chart", "code", "record", "kernels", "exercise", "speed", "sweep", "versus",
    "ncu",
];
const INLINE: [&str; 6] = ["value", "ratio", "space", "limit", "term", "ncu-value"];

/// The Markdown of `page` with its directives replaced. `name` stands in messages.
pub fn expand(workbook: &Workbook, name: &str, page: &str) -> Result<String, Vec<Problem>> {
    let mut out = String::new();
    let mut problems = Vec::new();
    let mut copied = 0;
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut counted = Page { stem, cells: 0, terms: 0 };
    for directive in find(page) {
        out.push_str(&page[copied..directive.range.start]);
        copied = directive.range.end;
        match replace(workbook, &mut counted, &directive) {
            Ok(Some(text)) => out.push_str(&text),
            Ok(None) => out.push_str(&page[directive.range]),
            Err(error) => problems.push(Problem {
                page: name.to_string(),
                line: directive.line,
                directive: page[directive.range].trim_end().to_string(),
                message: format!("{error:#}"),
            }),
        }
    }
    out.push_str(&page[copied..]);
    if problems.is_empty() { Ok(out) } else { Err(problems) }
}

/// What `directive` becomes; `None` if it is mdBook's own.
fn replace(workbook: &Workbook, page: &mut Page, directive: &Directive) -> Result<Option<String>> {
    if !directive.closed {
        bail!(
            "`}}}}` is missing on this line; a directive that is to be shown, not replaced, is \
             written \\{{{{#…}}}}"
        );
    }
    let block = BLOCKS.contains(&directive.name);
    if block && directive.fenced {
        bail!("stands in a code block; it makes its own, so take away the fence around it");
    }
    if block && !directive.alone {
        bail!("has to stand alone on its line, from the first column on");
    }
    let text = match (directive.name, &directive.arguments[..]) {
        ("cell", [stem, rest @ ..]) => cell::cell(workbook, page, stem, rest)?,
        ("table", [record, fields, rest @ ..]) => table::table(workbook, record, fields, rest)?,
        ("chart", [record, name, rest @ ..]) => figure::chart(workbook, record, name, rest)?,
        ("code", [file, anchor, rest @ ..]) => code::listing(workbook, file, anchor, rest)?,
        ("record", [stem]) => record::record(workbook, stem)?,
        ("kernels", []) => kernels::kernels(workbook)?,
        ("term", [slug, words @ ..]) => term::term(workbook, page, slug, words)?,
        ("exercise", [id]) => exercise::exercise(workbook, id)?,
        ("figure", [name]) => films::figure(workbook, name)?,
        ("ncu", [what, rest @ ..]) => ncu::ncu(workbook, what, rest)?,
        ("ncu-value", [kernel, field]) => ncu::value(workbook, kernel, field)?,
        ("speed", []) => speed::speed(workbook)?,
        ("versus", [record, rival]) => table::versus(workbook, record, rival)?,
        ("sweep", [element]) => speed::sweep(workbook, element)?,
        ("value", [record, rest @ ..]) => value::value(workbook, record, rest)?,
        ("ratio", [record, rest @ ..]) => value::ratio(workbook, record, rest)?,
        ("space", [record, name, field]) => space::space(workbook, record, name, field)?,
        ("limit", [record, name]) => space::limit(workbook, record, name)?,
        ("cell", _) => bail!("wants arguments: {}", cell::CELL),
        ("table", _) => bail!("wants arguments: {}", table::TABLE),
        ("chart", _) => bail!("wants arguments: {}", figure::CHART),
        ("code", _) => bail!("wants arguments: {}", code::CODE),
        ("record", _) => bail!("wants one argument: {{{{#record STEM}}}}"),
        ("term", _) => bail!("wants arguments: {{{{#term SLUG shown words}}}}"),
        ("exercise", _) => bail!("wants one argument: {{{{#exercise 3.1}}}}"),
        ("figure", _) => {
            bail!("wants one argument: {{{{#figure NAME}}}}; there are: {}", list(films::names()))
        }
        ("ncu", _) => bail!("wants arguments: {}", ncu::NCU),
        ("ncu-value", _) => bail!("wants two arguments: {}", ncu::VALUE),
        ("sweep", _) => bail!("wants one argument: {{{{#sweep f32}}}}"),
        ("versus", _) => bail!("wants two arguments: {{{{#versus ch7_limit.gpu cub}}}}"),
        ("kernels", _) => bail!("takes no argument: {{{{#kernels}}}}"),
        ("speed", _) => bail!("takes no argument: {{{{#speed}}}}"),
        ("value", _) => bail!("wants arguments: {}", value::VALUE),
        ("ratio", _) => bail!("wants arguments: {}", value::RATIO),
        ("space", _) => bail!("wants three arguments: {{{{#space STEM.KIND SPACE FIELD}}}}"),
        ("limit", _) => bail!("wants two arguments: {{{{#limit STEM.KIND NAME}}}}"),
        ("title", _) => return Ok(None),
        ("include" | "rustdoc_include" | "playground" | "playpen", _) => bail!(
            "mdBook's own includes are not used in this book: they show an empty block where an anchor is \
             missing; write {{{{#code FILE ANCHOR}}}}, with FILE from the root of the repository"
        ),
        _ => bail!("there is no such directive; there are: {}", list(BLOCKS.iter().chain(&INLINE))),
    };
    // Blank lines around a block, whatever stands before and after it.
    Ok(Some(if block { format!("\n{text}\n") } else { text }))
}
