//! The texts that one solution file gives: stub, solution, mutants, and the stub with a missing line. All of
//! them come from the same lines, so they cannot drift apart.

use std::path::Path;

use anyhow::{Context, Result};
use text::columns::wrapped;
use text::files::{no_file, while_held};
use text::path::shown;

use super::answer::{self, Answer};
use super::source::{Exercise, HERE, Kind, Mutant, THIS};

impl Exercise {
    /// The learner's file, as it is printed. Places in it, `FILE:LINE`, have the name that PTX has, with `/`.
    pub fn file(&self) -> String {
        shown(Path::new(&self.path))
    }

    /// The learner's file below `root`, as text. Bytes that are no UTF-8 are shown as `\u{fffd}`: compilers
    /// read the file itself.
    pub fn learners_text(&self, root: &Path) -> std::io::Result<String> {
        let path = root.join(&self.path);
        // The end of a pipe or a device may never come.
        if let Some(kind) = no_file(&std::fs::metadata(&path)?) {
            return Err(std::io::Error::other(format!("it is {kind}, and not a file")));
        }
        let bytes = while_held(|| std::fs::read(&path))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_string())
    }

    /// What the learner finds.
    pub fn stub(&self) -> String {
        self.head() + &self.derive(Part::Stub).0
    }

    /// What it should become.
    pub fn solution(&self) -> String {
        self.head() + &self.derive(Part::Answer).0
    }

    /// The stub without its head, as the book shows it.
    pub fn stub_code(&self) -> String {
        self.derive(Part::Stub).0.trim_start().to_string()
    }

    /// The solution without its head, as the book and the terminal show it; of numbers the answers alone.
    pub fn solution_code(&self) -> String {
        let code = self.derive(Part::Answer).0.trim_start().to_string();
        match self.kind {
            Kind::Numbers { .. } => code
                .lines()
                .filter(|line| answer::is_answer(line))
                .fold(String::new(), |text, line| text + line + "\n"),
            _ => code,
        }
    }

    /// The stub with the line that is missing, in an exercise that asks where.
    pub fn mended(&self) -> String {
        self.head() + &self.derive(Part::Mended).0
    }

    /// The answer `mutant`, as a learner's file.
    pub fn mutated(&self, mutant: &Mutant) -> Result<String> {
        let of = || format!("mutant {}", mutant.name);
        if !mutant.code.is_empty() {
            return Ok(format!("{}\n{}", self.head(), mutant.code));
        }
        mutant.edit.apply(&self.solution()).with_context(of)
    }

    /// The head comment of the learner's file: the task, the launch, the goals, what one learns, what to
    /// type.
    fn head(&self) -> String {
        let mut lines = vec![format!("Exercise {}: {}", self.id, self.title), String::new()];
        lines.extend(self.task.iter().cloned());
        let about = self.about();
        if !about.is_empty() {
            lines.push(String::new());
            lines.extend(about.iter().flat_map(|line| wrapped(line, 104)));
        }
        lines.push(String::new());
        lines.extend(wrapped(&format!("{} About {} minutes.", self.learn, self.minutes), 104));
        lines.push(String::new());
        lines.push(format!("Check it:  cargo run --example exercise -- {}", self.id));
        lines.push(format!("A hint:    cargo run --example exercise -- hint {}", self.id));
        lines.iter().map(|line| format!("// {line}").trim_end().to_string() + "\n").collect()
    }

    /// How the host launches it, and the goals: one sentence each.
    pub fn about(&self) -> Vec<String> {
        let mut lines = match &self.kind {
            Kind::Kernel(plan) => plan.sentences(),
            Kind::Numbers { answers, plan } => match answers.iter().find_map(Answer::case) {
                Some(case) => {
                    let counted = format!("The numbers are those for {case}.");
                    plan.sentences().into_iter().chain([counted]).collect()
                }
                None => Vec::new(),
            },
            Kind::Program(prints) => {
                let lines: Vec<String> = prints.trim().lines().map(|line| format!("`{line}`")).collect();
                vec![format!("The program has to print {}.", lines.join(", "))]
            }
            Kind::Function(_) => Vec::new(),
        };
        lines.extend(self.goals.iter().map(|goal| format!("Goal: {goal}.")));
        lines
    }

    /// The text below the head, and the numbers of its lines (from 1) above `//@ here` and `//@ this`.
    fn derive(&self, part: Part) -> (String, Vec<u32>) {
        let mut inside = None;
        let mut out = String::from("\n");
        let mut here = Vec::new();
        for line in &self.body {
            match line.trim() {
                "//@ begin" => inside = Some(Part::Answer),
                "//@ stub" => inside = Some(Part::Stub),
                "//@ end" => inside = None,
                THIS => here.push(out.lines().count() as u32),
                mark if mark.starts_with(HERE) => {
                    here.push(out.lines().count() as u32);
                    if part == Part::Mended {
                        out += &line.replacen(HERE, "", 1);
                        out.push('\n');
                    }
                }
                _ if inside.is_some_and(|inside| !part.has(inside)) => {}
                _ => {
                    // `    //| int x;` is `    int x;`.
                    let line = match line.split_once("//|") {
                        Some((indent, rest)) if inside == Some(Part::Stub) => {
                            format!("{indent}{}", rest.strip_prefix(' ').unwrap_or(rest))
                        }
                        _ => line.clone(),
                    };
                    out += line.trim_end();
                    out.push('\n');
                }
            }
        }
        (out, here)
    }

    /// The numbers of the lines above `//@ here` and `//@ this`, as they stand in the learner's file.
    pub fn marked_lines(&self) -> Vec<u32> {
        let head = self.head().lines().count() as u32;
        self.derive(Part::Stub).1.into_iter().map(|line| head + line).collect()
    }
}

/// Which text is derived, and which of the two between `//@ begin` and `//@ end` a line belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Answer,
    Stub,
    /// The stub with what is missing `here`.
    Mended,
}

impl Part {
    fn has(self, inside: Part) -> bool {
        inside == if self == Part::Mended { Part::Stub } else { self }
    }
}
