//! The exercises in a terminal: `watch`, the GPU, and where a figure is written.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::Result;
use device::{Device, DeviceChoice};
use kernel_compiler::compiler;
use text::files::write_whole;
use text::path::shown;
use text::say;
use view::{self, Film};

use super::compiler::Compiler;
use super::id::Id;
use super::machine::gpu;
use super::options::{Options, Verb};
use super::session::Session;
use super::source::{Exercise, Kind};
use super::{catalogue, show};

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
    let root = catalogue::root()?;
    let required = |maker| compiler::Compiler::require(maker, &root).map(Compiler::Installed);
    let compiler = options.compiler.map(required).transpose()?;
    let mut session = Session::open(root, options, compiler)?;
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
    /// The GPU that is asked for; an error if there is none, and there has to be one.
    pub(super) fn gpu(&self) -> Result<Option<Device>> {
        if self.options.device == DeviceChoice::Sim {
            return Ok(None);
        }
        let device = Device::open(self.options.device)?;
        Ok(if device.no_gpu.is_some() { None } else { Some(device) })
    }

    /// Runs an answer that passes on the GPU too; whether it is right there.
    pub(super) fn on_gpu(&self, exercise: &Exercise, device: &Device) -> Result<bool> {
        let Kind::Kernel(plan) = &exercise.kind else { return Ok(true) };
        let said = gpu::check(&self.root, exercise, plan, device)?;
        say::out(&match &said {
            Ok(times) => format!("\n{times}"),
            Err(what) => format!("\n{what}\n"),
        });
        Ok(said.is_ok())
    }

    /// Checks whenever a file is saved. When it passes, waits for Enter, and goes on to the next open
    /// exercise. Ends when all is done.
    fn watch(&mut self, id: Option<Id>) -> Result<u8> {
        let mut exercise = self.asked_or_current(id)?;
        while let Some(now) = exercise {
            let passed = self.watch_one(&now)?;
            exercise = show::next(&self.exercises, &self.state, Some(passed)).cloned();
            if let Some(next) = &exercise {
                say::out(&format!("Enter goes on to {}. Ctrl-C ends.\n", show::title(next)));
                // Where there is no keyboard, nobody is waited for.
                let _ = std::io::stdin().read_line(&mut String::new());
            }
        }
        self.list(None)
    }

    /// Checks what is saved, the file of `exercise` or of another one, until one passes that was open: which.
    /// An untouched task is not checked.
    fn watch_one(&mut self, exercise: &Exercise) -> Result<Id> {
        say::out(&format!(
            "{}\nWatching {}: save it, and it is checked. Ctrl-C ends.\n\n",
            show::title(exercise),
            exercise.file()
        ));
        let exercises = self.exercises.clone();
        let paths: Vec<PathBuf> = exercises.iter().map(|other| self.root.join(&other.path)).collect();
        let stamps = || paths.iter().map(|path| stamp(path)).collect::<Vec<_>>();
        let mut seen = stamps();
        let is_task = exercise.learners_text(&self.root).is_ok_and(|text| text == exercise.stub());
        if let Some(mine) = exercises.iter().position(|other| other.id == exercise.id)
            && !is_task
        {
            seen[mine] = None;
        }
        loop {
            let now = stamps();
            // A file that is just being written is not there for a moment, or in parts.
            let saved = (0..paths.len()).find(|&file| now[file].is_some() && now[file] != seen[file]);
            if let Some(file) = saved {
                std::thread::sleep(SETTLE);
                if stamp(&paths[file]) != now[file] {
                    continue;
                }
                seen[file] = now[file];
                let id = exercises[file].id;
                let was_open = id == exercise.id || !self.state.of(id).passed;
                let passed = self.check(&exercises[file])? == 0;
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
    say::out(&match written.and_then(|()| write_whole(&path, view::page(title, &film))) {
        Ok(()) => format!("\nfigure  {}\n", shown(&path)),
        Err(error) => format!("\nno figure: cannot write {}: {error}\n", shown(&path)),
    });
}

/// Tells one version of a file from another.
fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
