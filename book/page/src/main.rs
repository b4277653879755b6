//! The chapters for a page: one WebAssembly program (WASI), which takes what a chapter's program takes in the
//! terminal, and says and returns the same. The name that it is called by is the chapter's stem. Its files
//! are in `/`:
//!
//! | file | |
//! | --- | --- |
//! | `build.json` | read, if the chapter has kernels: their build, which a terminal's program has in itself |
//! | `edited.json` | read, if there is one: an edited source with its PTX, in place of that build |
//! | `show.json` | read: what the page shows of the record, [`show::Wanted`] |
//! | `cures.json` | written, if it is there: what cures what was found, in place of all else, [`cures`] |
//! | `shown.json` | written: the record, and the HTML that shows it, [`show::Shown`] |
//! | `NAME.cu`, `NAME.ptx` | read where it is called `simulate`: kernels of the reader, and their PTX |
//! | `program.json` | read there, if they are a whole program: its variables, [`mod@program`] |
//! | `request.json` | read where it is called `clang`: what is asked about the page's compiler, [`clang`] |
//! | `request.json`, `compiled.json` | written, then read: what the worker compiles meanwhile, [`compile`] |
//!
//! Called `exercise`, it marks the exercises ([`mod@exercise`]).
//!
//! How far the runs are is told on stderr, as terminals take it (`ESC ] 9 ; 4 ; 1 ; PERCENT BEL`). Called by
//! another name than a chapter's, it prints theirs.

mod clang;
mod compile;
mod cures;
mod exercise;
mod program;
mod show;
mod simulate;

use std::cell::Cell;
use std::io::{ErrorKind, Write, stderr};
use std::process::ExitCode;
use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};
use chapters::CHAPTERS;
use workbook::chapter::{Chapter, Options, Output, Place, run_with};
use workbook::device::DeviceKind;
use workbook::kernel_compiler::build::Build;
use workbook::kernels;
use workbook::record::Record;
use workbook::text::say;

fn main() -> ExitCode {
    let name = std::env::args().next().unwrap_or_default();
    let status = match CHAPTERS.iter().find(|chapter| chapter.stem == name) {
        Some(chapter) => run(chapter),
        None if name == "clang" => read("request.json").and_then(|request| {
            say::json(&clang::answer(&request)?);
            Ok(0)
        }),
        None if name == "simulate" => simulate::run(),
        None if name == "exercise" => exercise::run(),
        None => {
            say::out(&CHAPTERS.iter().map(|chapter| format!("{}\n", chapter.stem)).collect::<String>());
            Ok(0)
        }
    };
    say::status(status.unwrap_or_else(|error| {
        say::err(&format!("error: {error:#}\n"));
        2
    }))
}

fn run(chapter: &Chapter) -> Result<u8> {
    let mut options = Options::parse_for(chapter);
    let printed = if chapter.place == Place::Cpu { None } else { Some(build_of(chapter.stem)?) };
    let mut edited_from = None;
    let build = match (printed, std::fs::read_to_string("/edited.json")) {
        (Some(printed), Ok(edited)) => {
            options.step_limit = patience(options.n.unwrap_or((chapter.default_n)(DeviceKind::Sim)));
            edited_from = Some(printed.clone());
            Some(kernels::edited(printed, &edited)?)
        }
        (None, Ok(_)) => bail!("{} has no kernel to edit", chapter.stem),
        (printed, Err(error)) if error.kind() == ErrorKind::NotFound => printed,
        (_, Err(error)) => return Err(error).context("cannot read edited.json"),
    };
    let wanted = serde_json::from_str(&read("show.json")?).context("show.json is not what is to be shown")?;
    let ran = run_with(chapter, build.clone(), &options, &mut Page::default());
    if let (true, Some(report)) = (cures::are_wanted(), &ran.report) {
        let builds = edited_from.zip(build);
        let found = builds.map(|builds| cures::of_chapter(chapter, builds, &options, report));
        cures::leave(found.unwrap_or_default())?;
        return Ok(ran.status);
    }
    if let Some(report) = ran.report {
        let shown = serde_json::to_vec(&show::shown(report, build.as_ref(), &options.kernels, &wanted)?)?;
        std::fs::write("/shown.json", shown).context("cannot write shown.json")?;
    }
    Ok(ran.status)
}

/// The build of the chapter's kernels, which a terminal's program has in itself.
fn build_of(stem: &str) -> Result<Build> {
    let build: Build =
        serde_json::from_str(&read("build.json")?).context("build.json is not a build of a kernel")?;
    ensure!(build.stem == stem, "build.json is the build of {}, not of {stem}", build.stem);
    Ok(build)
}

/// Instructions of warps after which a reader's kernel is taken for endless: several times what the book's
/// most wasteful kernels need at this size.
fn patience(n: u64) -> u64 {
    2_000_000 + 1_000 * n
}

fn read(name: &str) -> Result<String> {
    std::fs::read_to_string(format!("/{name}")).with_context(|| format!("cannot read {name}"))
}

/// The surroundings of a run in a page, which keeps its record itself.
#[derive(Default)]
struct Page {
    /// Elements in the runs that are done, and in all.
    done: (f64, f64),
    /// The percentage that was told last.
    told: Rc<Cell<u8>>,
}

impl Output for Page {
    fn begin(&mut self, _: &str, done: u64, all: u64) {
        self.done = (done as f64, all as f64);
        tell(&self.told, self.done.0 / self.done.1);
    }

    fn within(&self, n: u64) -> Option<Box<dyn Fn(f64)>> {
        let (done, all) = self.done;
        let told = self.told.clone();
        Some(Box::new(move |part| tell(&told, (done + part * n as f64) / all)))
    }

    fn keep(&mut self, _: &Chapter, _: &Options, _: &Record) -> Result<Option<String>> {
        Ok(None)
    }
}

fn tell(told: &Cell<u8>, part: f64) {
    let percent = (100.0 * part) as u8;
    if told.replace(percent) != percent {
        // For the page's script, which reads this. It shows nothing else if that is lost.
        let _ = write!(stderr(), "\x1b]9;4;1;{percent}\x07");
    }
}
