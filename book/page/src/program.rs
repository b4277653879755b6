//! Whole programs of the reader's: what the terminal's `simulate` does, and what the notebook shows.

use std::fs;

use anyhow::{Context, Result};
use program::{Outside, Standard};
use serde::Serialize;
use simulate::cures::of_program;
use simulate::program::{Report, run as simulated};
use simulate::{Options, film};
use workbook::kernel_compiler::in_page::{Compiled, Variables};
use workbook::kernel_compiler::program::Program;
use workbook::sim::Diagnostic;
use workbook::text::columns::html_table;

use super::cures;

/// Bytes of what is printed to stdout and to stderr that a page shows, each.
const MAX_PRINTED: usize = 1_000_000;

/// What the page gets.
#[derive(Serialize)]
struct Shown<'a> {
    /// The last line of what the terminal prints.
    verdict: String,
    diagnostics: &'a [Diagnostic],
    /// The same with their source lines.
    messages: Vec<String>,
    /// What the program printed to stdout, and to stderr.
    printed: [String; 2],
    /// What the page does not give it.
    notes: Vec<String>,
    /// A line for each kernel, as HTML, if there is one.
    kernels: Option<String>,
    /// A figure that plays, as HTML, where there are not too many steps.
    film: Option<String>,
}

/// Runs the program that the page's compiler has left beside its source.
pub fn run(options: &Options, variables: &str) -> Result<u8> {
    let variables: Variables =
        serde_json::from_str(variables).context("program.json does not list variables")?;
    let ptx = options.file.with_extension("ptx");
    let ptx = fs::read_to_string(&ptx).with_context(|| format!("cannot read {}", ptx.display()))?;
    let program = Program::from(Compiled { ptx, program: Some(variables), ..Compiled::default() });
    let source = fs::read_to_string(&options.file).context("cannot read the program")?;
    let mut page = Page { source, ..Page::default() };
    let mut report = simulated(options, &program, &mut page)?;
    if let Some(compile) = options.compile {
        let again = |text: &str, _| compile(&options.file, text);
        let found = of_program(options, program.into(), Box::new(again), &mut page, &mut report);
        cures::leave(found)?;
        return Ok(report.status());
    }
    let shown = serde_json::to_vec(&shown(&report, options, page))?;
    fs::write("/shown.json", shown).context("cannot write shown.json")?;
    Ok(report.status())
}

fn shown<'a>(report: &'a Report, options: &Options, page: Page) -> Shown<'a> {
    let all = report.trace.as_ref().filter(|trace| trace.left_out == 0 && !trace.events.is_empty());
    Shown {
        verdict: report.verdict(options.checks),
        diagnostics: &report.found,
        messages: report.messages(false).collect(),
        printed: page.printed.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        notes: page.notes,
        kernels: (!report.kernels.is_empty()).then(|| html_table(&report.columns())),
        film: all.map(|trace| film(trace, &report.sources).html()),
    }
}

/// What a program reaches of a page: files that it writes become links.
#[derive(Default)]
struct Page {
    source: String,
    printed: [Vec<u8>; 2],
    notes: Vec<String>,
}

impl Page {
    fn note(&mut self, what: String) {
        if !self.notes.contains(&what) {
            self.notes.push(what);
        }
    }
}

impl Outside for Page {
    fn write(&mut self, to: Standard, bytes: &[u8]) {
        let (index, name) = match to {
            Standard::Out => (0, "stdout"),
            Standard::Error => (1, "stderr"),
        };
        let printed = &mut self.printed[index];
        let room = MAX_PRINTED - printed.len();
        printed.extend(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room {
            self.note(format!(
                "The program prints more to {name} than the page shows, which is the first million bytes."
            ));
        }
    }

    /// A page has no keyboard for a program.
    fn read(&mut self, _: &mut Vec<u8>) {
        self.note("The program reads its standard input, which is empty in a page.".to_owned());
    }

    fn read_file(&mut self, path: &str) -> Option<Vec<u8>> {
        self.note(format!("The program reads the file {path}; in a page there is none."));
        None
    }

    fn write_file(&mut self, path: &str, bytes: &[u8]) -> bool {
        let name = path.trim_start_matches("./");
        let is_of_page = ["notebook.cu", "notebook.ptx", "program.json", "shown.json"].contains(&name);
        let is_written = !is_of_page && !name.contains('/') && fs::write(format!("/{name}"), bytes).is_ok();
        if !is_written {
            self.note(format!("The program writes the file {path}, which a page does not take."));
        }
        is_written
    }

    fn source_line(&self, _: &str, line: u32) -> Option<String> {
        self.source.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
    }
}
