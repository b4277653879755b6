//! The verbs: list, check, hint, why, reset, solution.

use std::io::stdout;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use kernel_compiler::compiler::how_to_get_a_compiler;
use serde::Serialize;
use text::files::{no_file, read_lines, write_whole};
use text::path::shown;
use text::say;
use view::Film;

use super::compiler::Compiler;
use super::fault::{self, Fault};
use super::id::Id;
use super::options::{COMMAND, Options, Verb};
use super::said::{self, Part};
use super::source::Exercise;
use super::state::{Progress, State, free_name};
use super::verdict::Findings;
use super::{catalogue, figure, mark, show};

/// The repository, its exercises, and the learner's progress.
pub struct Session {
    pub(super) root: PathBuf,
    pub(super) exercises: Vec<Exercise>,
    pub(super) state: State,
    pub(super) options: Options,
    /// That of `--compiler`, or of the page.
    pub(super) compiler: Option<Compiler>,
    /// The figure that was asked for, and its title.
    pub(super) film: Option<(Film, String)>,
    shown: Shown,
}

/// What a page shows of a run, which a terminal has said.
#[derive(Default, Serialize)]
pub struct Shown {
    /// The exercise.
    id: Option<Id>,
    /// Whether it passes, where it was checked.
    passed: Option<bool>,
    /// Whether it passes, in a sentence, where it was checked.
    verdict: String,
    /// What else was said of it, as HTML.
    said: String,
    /// The exercise to go on with; none if all are done.
    next: Option<Id>,
    /// What the check has found.
    findings: Option<Findings>,
    /// The figure, as HTML.
    figure: Option<String>,
    /// The task's file, or the solution's code.
    text: Option<String>,
}

impl Session {
    /// Reads all there is below `root`.
    pub fn open(root: PathBuf, options: Options, compiler: Option<Compiler>) -> Result<Session> {
        let exercises = catalogue::read(&root)?;
        let (state, damaged) = State::read(&root)?;
        if let Some(said) = damaged {
            warn(&said);
        }
        Ok(Session { root, exercises, state, options, compiler, film: None, shown: Shown::default() })
    }

    /// Does what a page's words say; the exit status, and what the page shows.
    pub fn show(mut self) -> Result<(u8, Shown)> {
        let status = self.run()?;
        let next = show::next(&self.exercises, &self.state, self.shown.id);
        let figure = self.film.map(|(film, _)| film.html());
        Ok((status, Shown { next: next.map(|exercise| exercise.id), figure, ..self.shown }))
    }

    /// Does what the command line says; the exit status.
    pub fn run(&mut self) -> Result<u8> {
        let verb = self.options.verb.unwrap_or(Verb::List);
        let id = match verb {
            Verb::List => return self.list(),
            Verb::Watch { .. } => bail!("no file is saved in a page: check the exercise there"),
            Verb::Check { id } | Verb::Why { id } | Verb::Reset { id } => Some(id),
            Verb::Hint { id } | Verb::Solution { id, .. } => id,
        };
        let Some(exercise) = self.asked_or_next(id)? else { return self.list() };
        self.shown.id = Some(exercise.id);
        match verb {
            Verb::Hint { .. } => self.hint(&exercise),
            Verb::Why { .. } => self.why(&exercise),
            Verb::Reset { .. } => self.reset(&exercise),
            Verb::Solution { give_up, .. } => self.solution(&exercise, give_up),
            _ => {
                let film = || figure::film(&self.root, &exercise, self.compiler.as_ref());
                let film = self.options.figure.then(film);
                let status = self.check(&exercise)?;
                match film {
                    Some(Ok(film)) => self.film = Some(film),
                    Some(Err(error)) => {
                        say(&format!("\nno figure: {error:#}\n"));
                    }
                    None => {}
                }
                Ok(status)
            }
        }
    }

    pub(super) fn list(&mut self) -> Result<u8> {
        say(&show::list(&self.exercises, &self.state));
        say(&format!("\n{}", show::what_next(&self.exercises, &self.state, None)));
        Ok(0)
    }

    pub(super) fn check(&mut self, exercise: &Exercise) -> Result<u8> {
        let id = exercise.id;
        #[cfg(not(target_family = "wasm"))]
        let gpu = self.gpu()?;
        let found = mark::mark(&self.root, exercise, self.compiler.as_ref())?;
        let Some(found) = found else {
            bail!(
                "{} has to be compiled, and no compiler for CUDA C++ was found. The book has one: run \
                 `mdbook serve book`, and do the exercises on its pages. To do them in the \
                 terminal:\n{}\nThen check again: {COMMAND} {id}",
                exercise.file(),
                how_to_get_a_compiler(&self.root)
            )
        };
        self.shown.passed = Some(found.passes());
        self.shown.findings = Some(found.clone());
        self.remember_guesses(id, &found);
        let source = exercise.learners_text(&self.root).unwrap_or_default();
        let progress = self.state.of(id);
        let color = say::has_colour(&stdout());
        if !found.passes() {
            self.say_of(&show::failed(exercise, &found, &source, &progress), color);
            self.remember(|state| state.at(id).failed = fault::names(&found.kinds));
            if found.kinds == [Fault::MissingFile] {
                say(&format!("\nNext: bring the task back:\n  {COMMAND} reset {id}\n"));
            } else {
                say(&format!("\n{}", show::try_again(exercise, &self.state)));
            }
            return Ok(1);
        }
        let mut parts = show::passed(exercise, &found, &progress, &source);
        let gain = exercise.gain(&self.root)?;
        if !gain.is_empty() {
            parts.extend([Part::Gap, Part::Prose(gain)]);
        }
        self.say_of(&parts, color);
        if !exercise.why.is_empty() {
            say(&format!("\n{}", show::ask_why(exercise)));
            say(&format!("An answer: {COMMAND} why {id}\n"));
        }
        #[cfg(not(target_family = "wasm"))]
        if let Some(gpu) = gpu
            && !self.on_gpu(exercise, &gpu)?
        {
            say(&format!("\n{}", show::try_again(exercise, &self.state)));
            return Ok(1);
        }
        self.remember(|state| {
            let progress = state.at(id);
            progress.passed = true;
            progress.failed.clear();
        });
        say(&format!("Compare with a solution: {COMMAND} solution {id}\n\n"));
        say(&show::what_next(&self.exercises, &self.state, Some(id)));
        Ok(0)
    }

    fn hint(&mut self, exercise: &Exercise) -> Result<u8> {
        let id = exercise.id;
        let hints = &exercise.hints;
        let given = self.state.of(id).hints;
        say(&format!("{}\n\n", show::title(exercise)));
        if given >= hints.len() {
            say("These were all the hints:\n\n");
            for (number, hint) in (1..).zip(hints) {
                say(&said::paragraph(&format!("{number}. {hint}")));
            }
        } else {
            let text = format!("Hint {} of {}: {}", given + 1, hints.len(), hints[given]);
            if say(&said::paragraph(&text)) {
                self.remember(|state| state.at(id).hints = given + 1);
            }
        }
        let next = if self.state.of(id).passed {
            show::what_next(&self.exercises, &self.state, Some(id))
        } else {
            show::try_again(exercise, &self.state)
        };
        say(&format!("\n{next}"));
        Ok(0)
    }

    fn why(&mut self, exercise: &Exercise) -> Result<u8> {
        let Progress { passed, gave_up, .. } = self.state.of(exercise.id);
        if !passed && !gave_up {
            say(&format!("{}: asked once your answer has passed.\n\n", show::title(exercise)));
            say(&show::try_again(exercise, &self.state));
            return Ok(1);
        }
        say(&show::why(exercise));
        say(&format!("\n{}", show::what_next(&self.exercises, &self.state, Some(exercise.id))));
        Ok(0)
    }

    fn reset(&mut self, exercise: &Exercise) -> Result<u8> {
        let path = self.root.join(&exercise.path);
        let stub = exercise.stub();
        self.shown.text = Some(stub.clone());
        let is_file = std::fs::metadata(&path).is_ok_and(|about| no_file(&about).is_none());
        if is_file && read_lines(&path).is_ok_and(|text| text == stub) {
            say(&format!("{} is the task as it was given; nothing is changed.\n", exercise.file()));
        } else {
            let backup = free_name(&path, "backup");
            let is_there = path.symlink_metadata().is_ok();
            if is_there {
                std::fs::rename(&path, &backup)
                    .with_context(|| format!("cannot rename {}", exercise.file()))?;
            }
            let written = write_whole(&path, stub);
            if written.is_err() && is_there {
                std::fs::rename(&backup, &path)
                    .with_context(|| format!("your file is now {}", shown(&backup)))?;
            }
            written.with_context(|| format!("cannot write {}, which is as it was", exercise.file()))?;
            if is_there {
                let name = shown(backup.strip_prefix(&self.root).unwrap_or(&backup));
                say(&format!("Your file is now {name}.\n"));
            }
            say(&format!("{} is the task again.\n", exercise.file()));
        }
        say(&format!("\n{}", show::try_again(exercise, &self.state)));
        Ok(0)
    }

    fn solution(&mut self, exercise: &Exercise, give_up: bool) -> Result<u8> {
        let id = exercise.id;
        if !self.state.of(id).passed && !give_up {
            say(&format!("{}: the solution is shown once yours has passed.\n", show::title(exercise)));
            say(&format!("To see it before: {COMMAND} solution {id} --give-up\n\n"));
            say(&show::try_again(exercise, &self.state));
            return Ok(1);
        }
        let code = exercise.solution_code();
        let text = format!("A solution to {}:\n\n{code}\n", show::title(exercise));
        self.shown.text = Some(code);
        if say(&text) && !self.state.of(id).passed {
            self.remember(|state| state.at(id).gave_up = true);
        }
        say(&show::what_next(&self.exercises, &self.state, Some(id)));
        Ok(0)
    }

    /// The exercise `id`, or the first one that is not done; `None` if all are.
    pub(super) fn asked_or_next(&self, id: Option<Id>) -> Result<Option<Exercise>> {
        match id {
            Some(id) => Ok(Some(catalogue::find(&self.exercises, id)?.clone())),
            None => Ok(show::next(&self.exercises, &self.state, None).cloned()),
        }
    }

    /// Says `parts` of an answer, of which the first is the verdict.
    fn say_of(&mut self, parts: &[Part], color: bool) {
        if let [Part::Prose(verdict), more @ ..] = parts {
            self.shown.verdict.clone_from(verdict);
            self.shown.said = said::html(more);
        }
        say(&said::text(parts, color));
    }

    /// The first complete answer is what was predicted; wrong ones are counted, each once.
    fn remember_guesses(&mut self, id: Id, found: &Findings) {
        let said: Vec<u64> = found.guesses.iter().map(|guess| guess.said).collect();
        if said.is_empty() || self.state.of(id).last == said {
            return;
        }
        self.remember(|state| {
            let progress = state.at(id);
            if progress.first.is_empty() {
                progress.first.clone_from(&said);
            }
            progress.last.clone_from(&said);
            progress.tries += usize::from(!found.passes() && !progress.passed);
        });
    }

    /// Writes a change of the state; where that is not possible the work goes on.
    pub(super) fn remember(&mut self, change: impl Fn(&mut State)) {
        if let Err(error) = self.state.change(change) {
            warn(&format!("your progress is not remembered: {error:#}"));
        }
    }
}

/// Whether it has been shown.
fn say(text: &str) -> bool {
    say::out_in_colour(text)
}

fn warn(text: &str) {
    say::err(&format!("warning: {text}\n"));
}
