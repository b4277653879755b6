//! The exercises in a terminal: what is said once, `watch`, and where a figure is written.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::Result;

use super::catalogue;
use super::compiler::Compiler;
use super::id::Id;
use super::options::{Options, Verb};
use super::session::Session;
use super::show;
use super::source::Exercise;
use workbook::build::compiler::HOW_TO_GET_A_COMPILER;
use workbook::figure::{self, Film};
use workbook::files::write_whole;
use workbook::say;

/// How often `watch` looks at the learner's file.
const LOOK: Duration = Duration::from_millis(200);
/// How long the file has to stay as it is before it is checked.
const SETTLE: Duration = Duration::from_millis(50);

/// Does what the command line asks for. The exit status: 0 an answer passes, 1 it does not, 2 the command
/// line or the environment is wrong.
pub fn run() -> ExitCode {
    say::status(status(Options::parse_or_exit()).unwrap_or_else(|error| {
        say::err(&format!("error: {error:#}\n"));
        2
    }))
}

fn status(options: Options) -> Result<u8> {
    let root = catalogue::root();
    let compiler = options.compiler.map(|maker| Compiler::wanted(maker, &root)).transpose()?;
    let mut session = Session::open(root, options, compiler)?;
    session.tell_of_a_compiler();
    if let Some(Verb::Watch { id }) = session.options.verb {
        return session.watch(id);
    }
    let status = session.run()?;
    if let (Some(Verb::Check { id }), Some((film, title))) = (session.options.verb, session.film) {
        draw(&session.root, id, film, &title);
    }
    Ok(status)
}

impl Session {
    /// Once, before anything else: without a compiler an edited kernel cannot be checked.
    fn tell_of_a_compiler(&mut self) {
        // A wrong NVCC is said where a compiler is needed.
        let is_missing = || matches!(Compiler::find(&self.root), Ok(None));
        if self.state.told_of_nvcc || self.compiler.is_some() || !is_missing() {
            return;
        }
        self.has_told = say::out(&format!(
            "From chapter 2 on you write CUDA C++, and no compiler for it was found here.\n\
             The book has one: run `mdbook serve book`, and do the exercises on its pages.\n\
             To do them in the terminal:\n{HOW_TO_GET_A_COMPILER}\n\
             This is said once. Chapter 1 needs none.\n\n"
        ));
        if self.has_told {
            self.remember(|state| state.told_of_nvcc = true);
        }
    }

    /// Checks whenever a file is saved, and goes on to the next open exercise when it passes. Ends when all
    /// is done.
    fn watch(&mut self, id: Option<Id>) -> Result<u8> {
        let mut exercise = self.asked_or_next(id)?;
        while let Some(now) = exercise {
            let passed = self.watch_one(&now)?;
            exercise = show::next(&self.exercises, &self.state, Some(passed)).cloned();
        }
        self.list()
    }

    /// Checks what is saved, the file of `exercise` or of another one, until one passes that was open: which.
    /// An untouched task is not checked.
    fn watch_one(&mut self, exercise: &Exercise) -> Result<Id> {
        say::out(&format!(
            "{}\nWatching {}: save it, and it is checked. Ctrl-C ends.\n\n",
            show::title(exercise),
            exercise.path
        ));
        let files: Vec<(Id, PathBuf)> =
            self.exercises.iter().map(|other| (other.id, self.root.join(&other.path))).collect();
        let stamps = || files.iter().map(|(_, path)| stamp(path)).collect::<Vec<_>>();
        let mut seen = stamps();
        let is_task = exercise.learners_text(&self.root).is_ok_and(|text| text == exercise.stub());
        if let Some(mine) = files.iter().position(|(id, _)| *id == exercise.id)
            && !is_task
        {
            seen[mine] = None;
        }
        loop {
            let now = stamps();
            // A file that is just being written is not there for a moment, or in parts.
            let saved = (0..files.len()).find(|&file| now[file].is_some() && now[file] != seen[file]);
            if let Some(file) = saved {
                std::thread::sleep(SETTLE);
                if stamp(&files[file].1) != now[file] {
                    continue;
                }
                seen[file] = now[file];
                let id = files[file].0;
                let was_open = id == exercise.id || !self.state.of(id).passed;
                let passed = self.check(id)? == 0;
                say::out("\n");
                if was_open && passed {
                    return Ok(id);
                }
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// Writes a page with the figure of an answer, and says where.
fn draw(root: &Path, id: Id, film: Film, title: &str) {
    let path = root.join(format!("target/exercise-{id}.html"));
    let written = std::fs::create_dir_all(root.join("target"));
    say::out(&match written.and_then(|()| write_whole(&path, figure::page(title, &film))) {
        Ok(()) => format!("\nfigure  {}\n", path.display()),
        Err(error) => format!("\nno figure: cannot write {}: {error}\n", path.display()),
    });
}

/// Tells one version of a file from another.
fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
