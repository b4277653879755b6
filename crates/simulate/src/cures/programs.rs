//! A whole program, as what is edited and run again.

use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;

use ::program::{Ended, KernelRun, Outside, Standard};
use anyhow::Result;
use cuda_source::parameters::source_name;
use kernel_compiler::in_page::Compiled;
use kernel_compiler::program::Program;
use ptx_simulator::Kind;

use super::launches::as_asked;
use super::slips::slip;
use super::subject::{How, Outcome, Subject, named, printed};
use super::tries::cures;
use super::ways::Compile;
use crate::cure::Cure;
use crate::options::{Checks, Cures, Options};
use crate::program::{Report, run};

/// Bytes of a stream that are compared, at most.
const MAX_PRINTED: usize = 1 << 20;

/// Tries edits of a program's source for what is wrong with its kernels, and gives what cures it. A try
/// reads what `outside` lets it read, and reaches nothing else of that.
pub fn of_program(
    options: &Options,
    program: Compiled,
    compile: Compile,
    outside: &mut dyn Outside,
    report: &mut Report,
) -> Vec<Cure> {
    let file = options.file.display().to_string();
    let is_wanted = options.cures == Cures::On && options.checks == Checks::On;
    let Some(source) = report.sources.text(&file).filter(|_| is_wanted).map(str::to_string) else {
        return Vec::new();
    };
    // A program that returns something else says itself that it failed.
    let has_failed = matches!(report.ended, Ended::Status(status) if status != 0);
    let kernels = &report.kernels;
    let subject = Whole { options, compile, kernels, has_failed, outside: RefCell::new(outside) };
    let limits = options.cure_limits;
    let cures = cures(&subject, (&source, Some(program.clone())), limits, &mut report.found);
    let cures = cures.unwrap_or_default();
    if !cures.is_empty() || !has_failed {
        return cures;
    }
    let Some(cure) = slip(&subject, (&source, Some(program)), limits) else { return Vec::new() };
    // What nobody reads comes of the slip.
    let note = report.found.iter_mut().enumerate().find(|(_, found)| found.kind == Kind::NeverRead);
    let finding = note.map(|(number, found)| {
        found.help.clone_from(&cure.says);
        number
    });
    vec![Cure { finding, ..cure }]
}

/// A whole program.
struct Whole<'a> {
    options: &'a Options,
    compile: Compile<'a>,
    kernels: &'a [KernelRun],
    has_failed: bool,
    outside: RefCell<&'a mut dyn Outside>,
}

impl Subject for Whole<'_> {
    fn file(&self) -> &Path {
        &self.options.file
    }

    fn says_what_is_right(&self) -> bool {
        self.has_failed
    }

    fn right(&self) -> &'static str {
        "the program returns 0"
    }

    fn numbers(&self, source: &str, kernel: &str) -> Vec<(String, u64)> {
        let runs = self.kernels.iter().filter(|run| source_name(&run.kernel) == source_name(kernel));
        named(source, kernel, runs.map(|run| run.numbers.clone()))
    }

    fn compiled(&self, text: &str, limit: Duration) -> Result<Compiled> {
        (self.compile)(text, limit)
    }

    fn run(&self, built: &Compiled, _: &str, how: &How) -> Result<Outcome> {
        let program = &Program::from(built.clone());
        let mut outside = self.outside.borrow_mut();
        let mut again = Again { outside: &mut **outside, printed: Default::default() };
        let report = run(&as_asked(self.options, how), program, &mut again)?;
        let left = again.printed.iter().map(|bytes| printed(&String::from_utf8_lossy(bytes)));
        Ok(Outcome {
            found: report.found,
            completed: report.ended != Ended::Stopped,
            // A program that returns something else says itself that it failed.
            is_right: (report.ended != Ended::Status(0)).then_some(false),
            left: left.collect(),
            instructions: report.kernels.iter().map(|run| run.counters.warp_instructions).sum(),
        })
    }
}

/// The world outside of a program that runs once more: it has no input, and changes nothing.
struct Again<'a> {
    outside: &'a mut dyn Outside,
    printed: [Vec<u8>; 2],
}

impl Outside for Again<'_> {
    fn write(&mut self, to: Standard, bytes: &[u8]) {
        let printed = &mut self.printed[usize::from(to == Standard::Error)];
        let room = MAX_PRINTED - printed.len();
        printed.extend(&bytes[..bytes.len().min(room)]);
    }

    fn read(&mut self, _: &mut Vec<u8>) {}

    fn read_file(&mut self, path: &str) -> Option<Vec<u8>> {
        self.outside.read_file(path)
    }

    fn has_file(&mut self, path: &str) -> bool {
        self.outside.has_file(path)
    }

    fn write_file(&mut self, _: &str, _: &[u8]) -> bool {
        false
    }

    fn source_line(&self, file: &str, line: u32) -> Option<String> {
        self.outside.source_line(file, line)
    }
}
