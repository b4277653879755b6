//! Replaces the directives of a page, and collects everything that is wrong with them.

use std::fmt;

use anyhow::{Result, bail};

use crate::directives::{Directive, find};
use crate::{Workbook, cell, code, exercise, figure, space, speed, value};

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

const KNOWN: &str = "cell, chart, code, exercise, speed, sweep, value, ratio, space, limit";

/// The Markdown of `page` with its directives replaced. `name` stands in messages.
pub fn expand(workbook: &Workbook, name: &str, page: &str) -> Result<String, Vec<Problem>> {
    let mut out = String::new();
    let mut problems = Vec::new();
    let mut copied = 0;
    for directive in find(page) {
        out.push_str(&page[copied..directive.range.start]);
        copied = directive.range.end;
        match replace(workbook, &directive) {
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
fn replace(workbook: &Workbook, directive: &Directive) -> Result<Option<String>> {
    if !directive.closed {
        bail!(
            "`}}}}` is missing on this line; a directive that is to be shown, not replaced, is \
             written \\{{{{#…}}}}"
        );
    }
    let block = matches!(directive.name, "cell" | "chart" | "code" | "exercise" | "speed" | "sweep");
    if block && directive.fenced {
        bail!("stands in a code block; it makes its own, so take away the fence around it");
    }
    if block && !directive.alone {
        bail!("has to stand alone on its line, from the first column on");
    }
    let text = match (directive.name, &directive.arguments[..]) {
        ("cell", [stem]) => cell::cell(workbook, stem)?,
        ("chart", [record, name]) => figure::chart(workbook, record, name)?,
        ("code", [file, anchor]) => code::listing(workbook, file, anchor)?,
        ("exercise", [id]) => exercise::exercise(workbook, id)?,
        ("speed", []) => speed::speed(workbook)?,
        ("sweep", [element]) => speed::sweep(workbook, element)?,
        ("value", [record, rest @ ..]) => value::value(workbook, record, rest)?,
        ("ratio", [record, rest @ ..]) => value::ratio(workbook, record, rest)?,
        ("space", [record, name, field]) => space::space(workbook, record, name, field)?,
        ("limit", [record, name]) => space::limit(workbook, record, name)?,
        ("cell", _) => bail!("wants one argument: {{{{#cell STEM}}}}"),
        ("chart", _) => bail!("wants two arguments: {{{{#chart STEM.KIND NAME}}}}"),
        ("code", _) => bail!("wants two arguments: {{{{#code FILE ANCHOR}}}}"),
        ("exercise", _) => bail!("wants one argument: {{{{#exercise 3.1}}}}"),
        ("sweep", _) => bail!("wants one argument: {{{{#sweep f32}}}}"),
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
        _ => bail!("there is no such directive; there are: {KNOWN}"),
    };
    // Blank lines around a block, whatever stands before and after it.
    Ok(Some(if block { format!("\n{text}\n") } else { text }))
}
