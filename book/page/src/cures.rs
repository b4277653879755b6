//! What cures what was found, where the page asks for that by a file `cures.json`: of the reader's own
//! kernels and programs what the terminal's `simulate` says, and the same of an edited chapter.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;
use simulate::cure::{Cure, Limits};
use simulate::cures::{How, Outcome, Subject, cures};
use workbook::chapter::{Chapter, Options, Report, run_with};
use workbook::cuda_source::parameters::{parameters, source_name};
use workbook::kernel_compiler::build::Build;
use workbook::kernel_compiler::in_page::Compiled;
use workbook::kernels;
use workbook::record::{Record, Run};
use workbook::sim::Diagnostic;

use crate::{Page, compile};

/// Whether the page asks for cures.
pub fn are_wanted() -> bool {
    Path::new("/cures.json").exists()
}

/// Leaves them for the page, each once.
///
/// # Errors
/// The file cannot be written.
pub fn leave(mut cures: Vec<Cure>) -> Result<()> {
    cures.sort_by_key(|cure| !cure.cures_all);
    cures.dedup_by(|one, other| one.says == other.says);
    std::fs::write("/cures.json", serde_json::to_vec(&cures)?).context("cannot write cures.json")
}

/// What cures what is wrong with an edited chapter, of which `build` was made in place of the `printed` one.
pub fn of_chapter(
    chapter: &Chapter,
    (printed, build): (Build, Build),
    options: &Options,
    report: &Report,
) -> Vec<Cure> {
    let path = PathBuf::from(&*build.source_path);
    let source = build.source.to_string();
    let mut found = counted(&report.record, report.diagnostics.clone());
    let edited = Edited { chapter, printed, options, path, n: report.record.n };
    let built =
        Compiled { ptx: build.ptx.to_string(), newer: build.newer.to_string(), ..Compiled::default() };
    cures(&edited, (&source, Some(built)), Limits::default(), &mut found).unwrap_or_default()
}

/// The findings that are not there to be shown.
fn counted(record: &Record, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let shows_it = |run: &&Run| run.expected_failure.is_some();
    let shown: Vec<&str> = record.runs.iter().filter(shows_it).map(Run::symbol).collect();
    found.retain(|one| !one.kernel.as_deref().is_some_and(|kernel| shown.contains(&kernel)));
    found
}

/// A chapter whose kernels are edited.
struct Edited<'a> {
    chapter: &'a Chapter,
    printed: Build,
    options: &'a Options,
    path: PathBuf,
    n: u64,
}

/// What the chapters' kernels call the length of their array.
const LENGTHS: [&str; 2] = ["n", "size"];

impl Subject for Edited<'_> {
    fn file(&self) -> &Path {
        &self.path
    }

    fn says_what_is_right(&self) -> bool {
        true
    }

    fn numbers(&self, source: &str, kernel: &str) -> Vec<(String, u64)> {
        let names = parameters(source, source_name(kernel)).into_iter().map(|one| one.name);
        names.filter(|name| LENGTHS.contains(&name.as_str())).map(|name| (name, self.n)).collect()
    }

    fn compiled(&self, text: &str, _: Duration) -> Result<Compiled> {
        compile::compiled(&self.path, text, false)
    }

    fn run(&self, built: &Compiled, text: &str, how: &How) -> Result<Outcome> {
        let Compiled { ptx, newer, .. } = built;
        let edited = json!({"source": text, "ptx": ptx, "newer": newer, "compiler": "clang"});
        let build = kernels::edited(self.printed.clone(), &edited.to_string())?;
        let options = Options {
            schedule: how.schedule.unwrap_or(self.options.schedule),
            orders: how.schedule.is_none().then(|| how.orders.clone()),
            step_limit: how.steps,
            no_sweep: true,
            steps: false,
            ..self.options.clone()
        };
        let ran = run_with(self.chapter, Some(build), &options, &mut Page::default());
        let Report { record, diagnostics, .. } = ran.report.context("the chapter does not run")?;
        let runs = || record.runs.iter().filter(|run| run.expected_failure.is_none());
        // Where something was found, that is what is wrong with the result.
        let is_right = runs().all(|run| run.ok || !run.found.is_empty());
        Ok(Outcome {
            completed: !record.runs.is_empty(),
            is_right: Some(is_right),
            left: Vec::new(),
            instructions: runs().filter_map(|run| Some(run.counters.as_ref()?.warp_instructions)).sum(),
            found: counted(&record, diagnostics),
        })
    }
}
