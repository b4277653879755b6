//! The directives that there are; replaces those of a page, and collects everything that is wrong with them.

use std::fmt;
use std::path::Path;

use anyhow::{Result, bail, ensure};

use crate::directive::{Found, Words, find, list};
use crate::page::{Page, Workbook};
use crate::{
    cell, code, covered, exercise, kernels, minutes, predict, program, record, repository, table, term,
    value, verdict,
};
use Stands::{Alone, InText};

/// A directive: its name; its arguments, as [`Words::parse`] reads them; whether it stands alone on its line
/// or anywhere in text; what makes the Markdown that it becomes.
type Directive = (&'static str, &'static str, Stands, fn(&mut Page, &Words) -> Result<String>);

#[derive(Clone, Copy, PartialEq)]
enum Stands {
    Alone,
    InText,
}

/// All directives. `STEM.KIND` is a committed record, `ch4_nested.gpu`; what `benches/` has recorded is named
/// like its file: `benches/ncu`, `benches/simulator`, `benches/limit`.
const DIRECTIVES: [Directive; 15] = [
    // `In [k]`, a command; `Out [k]`, what it gave on each device: a table, what the simulator says, a chart.
    (
        "cell",
        "STEM [kernel=A,B] [n=N] [block=B] [on=gpu,sim] [chart=NAME] [scale=linear] [columns=sum,check,time] \
         [message=no]",
        Alone,
        cell::cell,
    ),
    // A small table: kernels by sizes, blocks or fields; `FIELD-ratio` is the first row's over this one's,
    // `FIELD-step` that of the row above. `against=RIVAL`, of chapter 7's record: RIVAL's time over
    // reduceLimit's, by size. Of `benches/`: its tables.
    (
        "table",
        "STEM.KIND [FIELD,FIELD] [kernel=A,STEM.KIND/B] [n=N,N] [block=B,B] [against=RIVAL]",
        Alone,
        table::table,
    ),
    // One chart of one record; of `benches/ncu`: `states`, `roofline`.
    ("chart", "STEM.KIND NAME [kernel=A,B] [scale=linear]", Alone, record::chart),
    // A figure drawn from a trace or a record, which plays.
    ("figure", "NAME", Alone, record::figure),
    // Everything recorded of a chapter, folded.
    ("record", "STEM", Alone, record::record),
    // The map of all kernels, a table per chapter.
    ("kernels", "", Alone, kernels::kernels),
    // A listing: what is between `ANCHOR: …` and `ANCHOR_END: …`; lines that the other lacks are marked.
    ("code", "FILE ANCHOR [against=[FILE:]ANCHOR]", Alone, code::listing),
    // A whole program: a card with its code, folded, which runs in the page.
    ("program", "FILE", Alone, program::program),
    // An exercise: a card with its task, its code, hints and a solution, all folded.
    ("exercise", "3.1", Alone, exercise::exercise),
    // The table of all exercises.
    ("exercises", "", Alone, exercise::exercises),
    // A kernel of the corpus, and what the simulator finds in it.
    ("verdict", "KIND/KERNEL", Alone, verdict::verdict),
    // A number: of a kernel at a size; of a memory space; of the device, where none is named. With `over=`,
    // how many times that of the other it is.
    ("value", "STEM.KIND [KERNEL] FIELD [over=KERNEL] [n=N] [block=B]", InText, value::value),
    // How long some pages take to read, all of them, or the exercises: what they state, added up.
    ("minutes", "PAGE|all|exercises…", InText, minutes::minutes),
    // Where the book's repository is; nothing where that is not known.
    ("repository", "", InText, repository::repository),
    // The words, with what the glossary says of the term.
    ("term", "SLUG WORDS…", InText, term::term),
];

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

/// The Markdown of `page` with its directives replaced, and with what answers a prediction folded. `name`
/// stands in messages.
pub fn expand(book: &Workbook, name: &str, page: &str) -> Result<String, Vec<Problem>> {
    let mut out = String::new();
    let mut problems = Vec::new();
    let mut copied = 0;
    let with_places;
    let page = if name == term::GLOSSARY {
        with_places = term::with_places(book, page);
        &with_places
    } else {
        page
    };
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut counted = Page { book, stem, cells: 0, terms: 0 };
    for found in find(page) {
        out += &page[copied..found.range.start];
        copied = found.range.end;
        match replace(&mut counted, &found) {
            Ok(replaced) => out += &replaced,
            Err(error) => problems.push(Problem {
                page: name.to_string(),
                line: found.line,
                directive: found.text.trim_end().to_string(),
                message: format!("{error:#}"),
            }),
        }
    }
    out += &page[copied..];
    if problems.is_empty() { Ok(covered::mark(&predict::folded(&out))) } else { Err(problems) }
}

/// What the directive becomes. Nothing expands that again: `book.toml` switches mdBook's own preprocessors
/// off.
fn replace(page: &mut Page, found: &Found) -> Result<String> {
    if found.escaped {
        return Ok(found.text.trim_start_matches('\\').to_string());
    }
    ensure!(
        found.closed,
        "`}}}}` is missing on this line; a directive that is to be shown, not replaced, \
         is written \\{{{{#…}}}}"
    );
    let Some((name, usage, stands, becomes)) = DIRECTIVES.iter().find(|(name, ..)| *name == found.name)
    else {
        match found.name {
            "include" | "rustdoc_include" | "playground" | "playpen" => bail!(
                "this book doesn't use mdBook's own includes: they show an empty block where an anchor is \
                 missing; write {{{{#code FILE ANCHOR}}}}, with FILE from the root of the repository"
            ),
            _ => bail!("there is no such directive; there are: {}", list(DIRECTIVES.map(|(name, ..)| name))),
        }
    };
    let is_block = *stands == Alone;
    if is_block {
        ensure!(found.alone, "has to stand alone on its line, from the first column on");
    }
    let text = becomes(page, &Words::parse(name, usage, &found.words)?)?;
    // Blank lines around a block, whatever stands before and after it.
    Ok(if is_block { format!("\n{text}\n") } else { text })
}
