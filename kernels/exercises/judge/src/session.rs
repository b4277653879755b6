//! The verbs: list, check, hint, why, reset, solution.

use std::io::stdout;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use kernel_compiler::compiler::how_to_get_a_compiler;
use serde::Serialize;
use text::files::{read_lines, set_aside, write_whole};
use text::path::shown;
use text::say;
use view::Film;

use super::compiler::Compiler;
use super::fault::{self, Fault};
use super::id::Id;
use super::info::Rungs;
use super::options::{COMMAND, Options, Verb};
use super::said::{self, Part};
use super::source::Exercise;
use super::state::{Progress, State};
use super::verdict::{Counts, Findings};
use super::{catalogue, figure, mark, rungs, show};

/// The repository, its exercises, and the learner's progress.
pub struct Session {
    pub(super) root: PathBuf,
    pub(super) exercises: Vec<Exercise>,
    pub(super) state: State,
    pub(super) options: Options,
    /// The compiler that `--compiler` names, or the page's.
    pub(super) compiler: Option<Compiler>,
    /// The figure that was asked for, and its title.
    pub(super) film: Option<(Film, String)>,
    shown: Shown,
}

/// What a page shows in place of what a terminal prints.
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
    /// Reads the exercises and the learner's progress.
    pub fn open(root: PathBuf, options: Options, compiler: Option<Compiler>) -> Result<Session> {
        let exercises = catalogue::read(&root)?;
        let (state, damaged) = State::read(&root)?;
        if let Some(said) = damaged {
            warn(&said);
        }
        Ok(Session { root, exercises, state, options, compiler, film: None, shown: Shown::default() })
    }

    /// Does what the page asks for. Returns the exit status and what the page shows.
    pub fn show(mut self) -> Result<(u8, Shown)> {
        let status = self.run()?;
        let next = show::next(&self.exercises, &self.state, self.shown.id);
        let figure = self.film.map(|(film, _)| film.html());
        Ok((status, Shown { next: next.map(|exercise| exercise.id), figure, ..self.shown }))
    }

    /// Does what the command line asks for. Returns the exit status.
    pub fn run(&mut self) -> Result<u8> {
        let verb = self.options.verb.unwrap_or(Verb::List { chapter: None });
        let id = match verb {
            Verb::List { chapter } => return self.list(chapter),
            Verb::Watch { .. } => bail!("no file is saved in a page: check the exercise there"),
            Verb::Check { id } | Verb::Why { id } | Verb::Reset { id } => Some(id),
            Verb::Hint { id } | Verb::Solution { id, .. } => id,
        };
        let Some(exercise) = self.asked_or_current(id)? else { return self.list(None) };
        self.shown.id = Some(exercise.id);
        match verb {
            Verb::Hint { .. } => self.hint(&exercise),
            Verb::Why { .. } => self.why(&exercise),
            Verb::Reset { .. } => self.reset(&exercise),
            Verb::Solution { give_up, .. } => self.solution(&exercise, give_up),
            Verb::Check { .. } => self.check_with_figure(&exercise),
            Verb::List { .. } | Verb::Watch { .. } => unreachable!("done above"),
        }
    }

    /// All exercises, or those of one chapter.
    pub(super) fn list(&mut self, chapter: Option<u32>) -> Result<u8> {
        if let Some(chapter) = chapter
            && !self.exercises.iter().any(|exercise| exercise.id.chapter == chapter)
        {
            let mut chapters: Vec<String> =
                self.exercises.iter().map(|exercise| exercise.id.chapter.to_string()).collect();
            chapters.dedup();
            bail!("chapter {chapter} has no exercises; those that have: {}", chapters.join(" "));
        }
        say(&show::list(&self.exercises, &self.state, chapter));
        say(&format!("\n{}", show::what_next(&self.exercises, &self.state)));
        Ok(0)
    }

    /// [`Session::check`], with a figure if one is asked for.
    fn check_with_figure(&mut self, exercise: &Exercise) -> Result<u8> {
        if !self.options.figure {
            return self.check(exercise);
        }
        let film = figure::film(&self.root, exercise, self.compiler.as_ref());
        let status = self.check(exercise)?;
        // That there is no figure is said below what the check has said.
        match film {
            Ok(film) => self.film = Some(film),
            Err(error) => {
                say(&format!("\nno figure: {error:#}\n"));
            }
        }
        Ok(status)
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
        self.remember_guesses(id, &found);
        if !found.passes() {
            self.say_failed(exercise, found);
            return Ok(1);
        }
        self.shown.findings = Some(found.clone());
        self.say_passed(exercise, &found)?;
        #[cfg(not(target_family = "wasm"))]
        if let Some(gpu) = gpu
            && !self.on_gpu(exercise, &gpu)?
        {
            say(&format!("\n{}", show::try_again(exercise, &self.state)));
            return Ok(1);
        }
        self.remember(|state| {
            state.last = Some(id);
            state.at(id).has_passed();
        });
        say(&format!("Compare with a solution: {COMMAND} solution {id}\n\n"));
        say(&show::what_next(&self.exercises, &self.state));
        Ok(0)
    }

    fn say_failed(&mut self, exercise: &Exercise, mut found: Findings) {
        let id = exercise.id;
        let source = exercise.learners_text(&self.root).unwrap_or_default();
        let progress = self.state.of(id);
        if !progress.is_help_due(&source) {
            found.diagnostics.iter_mut().for_each(|found| found.help.clear());
        }
        self.report(&show::failed(exercise, &found, &source, &progress));
        self.remember(|state| {
            state.last = Some(id);
            state.at(id).has_failed(&source, fault::names(&found.kinds));
        });
        self.shown.findings = Some(found.clone());
        if found.kinds == [Fault::MissingFile] {
            say(&format!("\nNext: bring the task back:\n  {COMMAND} reset {id}\n"));
        } else {
            say(&format!("\n{}", show::try_again(exercise, &self.state)));
        }
    }

    fn say_passed(&mut self, exercise: &Exercise, found: &Findings) -> Result<()> {
        let id = exercise.id;
        let source = exercise.learners_text(&self.root).unwrap_or_default();
        let mut parts = show::passed(exercise, found, &self.state.of(id), &source);
        if let Some(rungs) = &exercise.rungs {
            parts.extend(self.beside_rungs(rungs, id, &found.counts)?);
        }
        let gain = exercise.gain(&self.root)?;
        if !gain.is_empty() {
            parts.extend([Part::Gap, Part::Prose(gain)]);
        }
        self.report(&parts);
        if !exercise.why.is_empty() {
            say(&format!("\n{}", show::ask_why(exercise)));
            say(&format!("An answer: {COMMAND} why {id}\n"));
        }
        Ok(())
    }

    /// What a right answer on a blank page costs, beside the best one before, which it may replace.
    fn beside_rungs(&mut self, rungs: &Rungs, id: Id, counts: &Counts) -> Result<Vec<Part>> {
        let by = &counts.compiler;
        let parts = rungs::compared(rungs, &self.root, counts, self.state.of(id).best_by(by))?;
        self.remember(|state| state.at(id).has_cost(rungs::counts(counts), by));
        Ok(parts)
    }

    fn hint(&mut self, exercise: &Exercise) -> Result<u8> {
        let id = exercise.id;
        let hints = &exercise.hints;
        let Progress { hints: given, passed, .. } = self.state.of(id);
        say(&format!("{}\n\n", show::title(exercise)));
        if passed || given >= hints.len() {
            say(if passed { "All the hints:\n\n" } else { "These were all the hints:\n\n" });
            for (number, hint) in (1..).zip(hints) {
                say(&said::paragraph(&format!("{number}. {hint}")));
            }
        } else {
            let text = format!("Hint {} of {}: {}", given + 1, hints.len(), hints[given]);
            let is_shown = say(&said::paragraph(&text));
            if is_shown {
                self.remember(|state| state.at(id).hints = given + 1);
            }
        }
        let next = if passed {
            show::what_next(&self.exercises, &self.state)
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
        say(&format!("\n{}", show::what_next(&self.exercises, &self.state)));
        Ok(0)
    }

    fn reset(&mut self, exercise: &Exercise) -> Result<u8> {
        let path = self.root.join(&exercise.path);
        let stub = exercise.stub();
        self.shown.text = Some(stub.clone());
        if path.is_file() && read_lines(&path).is_ok_and(|text| text == stub) {
            say(&format!("{} is the task as it was given; nothing is changed.\n", exercise.file()));
        } else {
            let backup =
                set_aside(&path, "backup").with_context(|| format!("cannot rename {}", exercise.file()))?;
            if let Err(error) = write_whole(&path, stub) {
                if let Some(backup) = &backup {
                    std::fs::rename(backup, &path)
                        .with_context(|| format!("your file is now {}", shown(backup)))?;
                }
                return Err(error)
                    .with_context(|| format!("cannot write {}, which is as it was", exercise.file()));
            }
            if let Some(backup) = &backup {
                let name = shown(backup.strip_prefix(&self.root).unwrap_or(backup));
                say(&format!("Your file is now {name}. To have it back, give it its old name again.\n"));
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
        let is_shown = say(&text);
        if is_shown && !self.state.of(id).passed {
            self.remember(|state| state.at(id).gave_up = true);
        }
        say(&show::what_next(&self.exercises, &self.state));
        Ok(0)
    }

    /// The exercise `id`, or the one to go on with; `None` if all are done.
    pub(super) fn asked_or_current(&self, id: Option<Id>) -> Result<Option<Exercise>> {
        match id {
            Some(id) => Ok(Some(catalogue::find(&self.exercises, id)?.clone())),
            None => Ok(show::current(&self.exercises, &self.state).cloned()),
        }
    }

    /// Prints `parts`, and keeps them for the page: the first is the verdict.
    fn report(&mut self, parts: &[Part]) {
        if let [Part::Prose(verdict), more @ ..] = parts {
            self.shown.verdict.clone_from(verdict);
            self.shown.said = said::html(more);
        }
        say(&said::text(parts, say::has_colour(&stdout())));
    }

    /// Remembers the numbers of an answer: the first ones as the prediction, and the last ones, so that the
    /// same wrong answer counts as one try.
    fn remember_guesses(&mut self, id: Id, found: &Findings) {
        let numbers: Vec<u64> = found.guesses.iter().map(|guess| guess.said).collect();
        if numbers.is_empty() || self.state.of(id).last == numbers {
            return;
        }
        self.remember(|state| {
            let progress = state.at(id);
            if progress.first.is_empty() {
                progress.first.clone_from(&numbers);
            }
            progress.last.clone_from(&numbers);
            if !found.passes() && !progress.passed {
                progress.tries += 1;
            }
        });
    }

    /// Changes the learner's progress and saves it; only warns if it cannot be saved.
    pub(super) fn remember(&mut self, change: impl Fn(&mut State)) {
        if let Err(error) = self.state.change(change) {
            warn(&format!("your progress is not remembered: {error:#}"));
        }
    }
}

/// Prints `text`; `false` if that failed.
fn say(text: &str) -> bool {
    say::out_in_colour(text)
}

fn warn(text: &str) {
    say::err(&format!("warning: {text}\n"));
}
