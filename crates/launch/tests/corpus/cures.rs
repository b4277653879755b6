//! For how many kernels of the corpus and mutants of the exercises a cure is found, as the appendix shows it.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::case::root;

pub const PAGE: &str = "book/src/appendix_simulate.md";
const CORPUS: &str = "crates/launch/tests/corpus/cures.csv";
const MUTANTS: &str = "kernels/exercises/cures.csv";
const BEGIN: &str = "<!-- cures: begin -->\n";
const END: &str = "<!-- cures: end -->\n";

/// The rows of a record, without its head.
fn rows(path: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(root().join(path)).unwrap_or_default();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// What was wrong, and how that came out: in the kernels, then in the mutants.
fn results() -> [Vec<(String, String)>; 2] {
    let kernels = rows(CORPUS).into_iter().filter_map(|row| match &row[..] {
        [name, cure] if cure != "-" => Some((name.split('/').next()?.to_owned(), cure.clone())),
        _ => None,
    });
    let mutants = rows(MUTANTS).into_iter().filter_map(|row| match &row[..] {
        [_, _, kind, cure] => Some((kind.clone(), cure.clone())),
        _ => None,
    });
    [kernels.collect(), mutants.collect()]
}

fn table() -> String {
    let [kernels, mut mutants] = results();
    // Those that there are edits for.
    let kinds: BTreeSet<&String> = kernels.iter().map(|(kind, _)| kind).collect();
    mutants.retain(|(kind, _)| kinds.contains(kind));
    let mut out = String::from(
        "| what is wrong | kernels of the corpus | cured | mutants of the exercises | cured \
         | to the solution |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut row = |title: &str, kind: Option<&String>| {
        let count = |all: &[(String, String)], is_counted: &dyn Fn(&str) -> bool| {
            let of_kind = all.iter().filter(|(of, _)| kind.is_none_or(|kind| kind == of));
            of_kind.filter(|(_, cure)| is_counted(cure)).count()
        };
        writeln!(
            out,
            "| {title} | {} | {} | {} | {} | {} |",
            count(&kernels, &|_| true),
            count(&kernels, &|cure| cure == "all"),
            count(&mutants, &|_| true),
            count(&mutants, &|cure| cure != "none"),
            count(&mutants, &|cure| cure == "solution"),
        )
        .unwrap();
    };
    for kind in kinds {
        row(kind, Some(kind));
    }
    row("**all of these**", None);
    out
}

/// The page with the numbers of the records.
pub fn on_the_page() -> String {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    let (before, rest) = page.split_once(BEGIN).unwrap_or_else(|| panic!("{PAGE} lacks {BEGIN}"));
    let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("{PAGE} lacks {END}"));
    format!("{before}{BEGIN}{}{END}{after}", table())
}
