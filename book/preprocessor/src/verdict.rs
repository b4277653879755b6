//! A kernel of the corpus with what the simulator says of it: it runs when the book is built.

use anyhow::{Context, Result, ensure};
use launch::{Scope, Script};
use workbook::device::{Device, Module, SimulatorOptions};
use workbook::sim::{Budget, Diagnostic};
use workbook::view::diagnostics;

use crate::directive::Words;
use crate::html::{fenced, verbatim};
use crate::page::{Page, Workbook};

/// Instructions that a kernel of the book may execute: enough for each, and soon spent by one without an end.
const STEPS: u64 = 1 << 21;

/// Where a test's mark of what it expects begins: in code, and behind a launch.
const MARKS: [&str; 2] = ["// expect", "# expect"];

/// The kernel without the marks of the tests, and below it what is found. `data-race/warp_tree` names it:
/// what it shows, and its file.
pub fn verdict(page: &mut Page, words: &Words) -> Result<String> {
    let name = words.of[0];
    let (kind, _) = name.split_once('/').context("names no kernel; for one: data-race/warp_tree")?;
    let code = unmarked(&page.book.read(&file(name, "cu"))?);
    let found = found(page.book, name, &code)?;
    let kinds: Vec<String> = found.iter().map(|found| found.kind.to_string()).collect();
    ensure!(kinds.iter().any(|found| found == kind), "the simulator finds no {kind} in it, but {kinds:?}");
    let quoted = |path: &str| (path == file(name, "cu")).then_some(code.as_str());
    let said: Vec<String> = found.iter().map(|found| diagnostics::render(found, quoted, false)).collect();
    Ok(format!("{}\n\n{}\n", fenced("cpp", code.trim_end()), verbatim(&said.join("\n"))))
}

fn file(name: &str, extension: &str) -> String {
    format!("crates/launch/tests/corpus/{name}.{extension}")
}

/// Each line up to its mark, so that lines keep their numbers.
fn unmarked(source: &str) -> String {
    let code = |line: &str| {
        let end = MARKS.iter().filter_map(|mark| line.find(mark)).min().unwrap_or(line.len());
        format!("{}\n", line[..end].trim_end())
    };
    source.lines().map(code).collect()
}

/// What is found when the launch in `code` runs, in every order of its atomic operations.
fn found(book: &Workbook, name: &str, code: &str) -> Result<Vec<Diagnostic>> {
    let constants = launch::constants(code);
    let script = Script::parse(&launch::in_comments(code), Scope::of(&constants))?;
    let device = Device::simulator(SimulatorOptions {
        every_order: Some(Budget::default()),
        step_limit: Some(STEPS),
        keep_printed: true,
        ..SimulatorOptions::default()
    });
    let ptx = file(name, "ptx");
    let module = Module::of_ptx(&ptx, &book.read(&ptx)?)?;
    launch::run(&device, &module, &script)?;
    Ok(device.take_seen().found)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use workbook::text::columns::escape;

    use super::*;

    #[test]
    fn a_kernel_is_shown_without_marks_and_with_what_is_found_in_that_very_text() {
        let source = "// Shows a race.\n//@ launch f<<<1, 2>>> i32:0  # expect: deadlock\n\
                      f();  // expect: data-race\n";
        assert_eq!(unmarked(source), "// Shows a race.\n//@ launch f<<<1, 2>>> i32:0\nf();\n");
        let book = Workbook::new(workbook::root().unwrap().to_owned(), PathBuf::from("not there"));
        let mut page = Page { book: &book, stem: String::new(), cells: 0, terms: 0 };
        let words = |name| Words::parse("verdict", "KIND/KERNEL", &[name]).unwrap();
        let shown = verdict(&mut page, &words("data-race/global_missing_barrier")).unwrap();
        assert!(shown.contains("and nothing orders the two"), "{shown}");
        assert!(shown.contains(&escape("corpus/data-race/global_missing_barrier.cu:6:")), "{shown}");
        assert!(!shown.contains("expect"), "{shown}");
        let clean = verdict(&mut page, &words("data-race/disjoint_blocks")).unwrap_err().to_string();
        assert!(clean.contains("the simulator finds no data-race in it"), "{clean}");
    }

    /// Every kind that the corpus is about.
    #[test]
    fn the_appendix_has_an_example_of_each_kind() {
        let root = workbook::root().unwrap();
        let page = fs::read_to_string(root.join("book/src/appendix_simulator.md")).unwrap();
        for entry in fs::read_dir(root.join("crates/launch/tests/corpus")).unwrap() {
            let folder = entry.unwrap().path();
            let kind = folder.file_name().unwrap().to_string_lossy().into_owned();
            if folder.is_dir() && kind != "sanitize" {
                let shown = page.matches(&format!("{{{{#verdict {kind}/")).count();
                assert_eq!(
                    shown, 1,
                    "book/src/appendix_simulator.md has to show {kind} once: {{{{#verdict {kind}/KERNEL}}}}"
                );
            }
        }
    }
}
