//! A reader's own kernel on the simulator, from the command line: what `cargo run --example simulate` does.
//!
//! | file | job |
//! | --- | --- |
//! | `options.rs` | the command line |
//! | `input.rs` | the file: a compiler for a `.cu`, source lines for diagnostics |
//! | `names.rs` | kernels and variables as the source names them |
//! | `launch.rs` | the command line or the script as steps, checked against the kernels, and done |
//! | `fit.rs` | arguments against parameters |
//! | `kinds.rs` | the elements of buffers against what the parameters point to |
//! | `orders.rs` | which orders are tried, and what is said of them |
//! | `later.rs` | what follows a launch whose result depends on the order |
//! | `causes.rs` | findings that have one cause, as one |
//! | [`cure`] | what cures a finding |
//! | [`cures`] | edits of the source that may cure what was found, tried |
//! | `patience.rs` | how far a long run is |
//! | `stop.rs` | Ctrl-C |
//! | `buffers.rs` | what a buffer holds, as text and as JSON |
//! | `counts.rs` | the counters as a table, beside the names of Nsight Compute |
//! | `output.rs` | the whole result, as text or as JSON, and the exit status |
//! | `tally.rs` | how many findings there are, in words |
//! | `export.rs` | the same as a CUDA program with a `main` |
//! | [`program`] | a whole program: runs it, and reports what came of it |
//! | `by_value.rs` | containers that a program passes by value |
//! | `terminal.rs` | a whole program in a terminal: compiled, and its surroundings |

pub mod buffers;
mod by_value;
mod causes;
pub mod counts;
pub mod cure;
pub mod cures;
mod export;
mod fit;
mod input;
mod kinds;
mod later;
mod launch;
mod names;
mod options;
mod orders;
mod output;
mod patience;
pub mod program;
mod stop;
mod tally;
#[cfg(not(target_family = "wasm"))]
mod terminal;

use std::cell::RefCell;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use ::launch::Script;
use anyhow::{Context, Result, ensure};
use device::{LaunchOrder, Module};
pub use launch::Launched;
use options::Checks;
pub use options::Options;
pub use output::{Finding, Found, Report};
use patience::Patience;
use ptx_simulator::trace::Trace;
use text::files::write_whole;
use text::say;
use view::{self, Film};

/// Does what the command line asks for, as [`done`] says.
pub fn run() -> ExitCode {
    let (status, _) = done(&Options::parse_or_exit());
    say::status(if stop::is_asked() { stop::STATUS } else { status })
}

/// Does what `options` ask for, and prints the result. The exit status: 0 nothing is wrong, 1 a diagnostic of
/// severity error, 2 a command line, file or instruction that the simulator cannot take.
pub fn done(options: &Options) -> (u8, Option<Report>) {
    if options.export {
        return match export::program(options) {
            Ok(program) => (u8::from(!say::out(&program)) * 2, None),
            Err(error) => {
                say::err(&format!("error: {error:#}\n"));
                (2, None)
            }
        };
    }
    #[cfg(not(target_family = "wasm"))]
    if input::asks_for_a_program(options) {
        return match terminal::compiled_and_run(options).and_then(|report| {
            report.print(options)?;
            Ok(report.status())
        }) {
            Ok(status) => (status, None),
            Err(error) => {
                say::err(&format!("error: {error:#}\n"));
                (2, None)
            }
        };
    }
    let printed = simulate(options).and_then(|report| report.print(options).map(|()| report));
    match printed {
        Ok(report) => {
            let ran = &report.launched.ran;
            for what in &ran.withheld {
                say::err(&format!(
                    "note: {what}
"
                ));
            }
            let lost = &ran.lost;
            for why in lost {
                say::err(&format!(
                    "error: {why}
"
                ));
            }
            (if lost.is_empty() { report.status() } else { 2 }, Some(report))
        }
        Err(error) => {
            say::err(&format!("error: {error:#}\n"));
            (2, None)
        }
    }
}

/// Events that are remembered of a launch.
const MAX_EVENTS: usize = 10_000;

/// What was remembered of the launch as a figure that plays.
pub fn film(trace: &Trace, sources: &input::Sources) -> Film {
    let text = |file: &String| sources.text(file).map(str::to_string).or(sources.find(file));
    let source = trace.files.first().and_then(text);
    view::launch(trace, source.as_deref())
}

/// The launch as a page of its own.
fn write_figure(path: &Path, trace: &Trace, sources: &input::Sources) -> Result<()> {
    ensure!(!cfg!(target_family = "wasm"), "a page shows figures in itself, and writes none");
    let film = film(trace, sources);
    ensure!(
        !film.tracks[0].frames.is_empty(),
        "{} is not written: there are no steps to show",
        path.display()
    );
    write_whole(path, view::page(&trace.kernel, &film))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn simulate(options: &Options) -> Result<Report> {
    let (ptx, mut sources) = input::read(options)?;
    let file = options.file.display().to_string();
    let source = sources.code(&options.file, &ptx);
    let script = launch::script(options, sources.text(&file).unwrap_or_default())?;
    let remembers = options.steps || options.figure.is_some() || options.remembers;
    ensure!(
        !remembers || options.checks == Checks::On,
        "steps are recorded only with checks: omit --checks off"
    );
    let run = |options: &Options, script: &Script, order: Option<LaunchOrder>| {
        let device = launch::device(options, order)?;
        let simulator = device.simulated().context("a script runs on the simulator here")?;
        simulator.observe(Rc::new(RefCell::new(Patience::new())));
        if remembers {
            simulator.remember(MAX_EVENTS, None); // buffers without a name are called `argument 0`
        }
        match Module::of_ptx(&file, &ptx) {
            Ok(module) => {
                let source = (&*source, &sources.templates(&options.file)[..]);
                launch::launch(&device, &module, options, script, source)
            }
            // Text that the simulator cannot read: nothing is launched.
            Err(error) => Ok(Launched { diagnostics: vec![error.downcast()?], ..Launched::default() }),
        }
    };
    let order = options.order.as_deref().map(orders::read).transpose()?;
    stop::listen();
    let mut launched = run(options, &script, order)?;
    let skipped = launched.ran.skipped;
    later::tried(&mut launched, &script, |order| run(options, &script.without_outputs(), Some(order)))?;
    launched.cures = cures::of_launches(options, &script, (&ptx, &sources), &mut launched);
    causes::join(&mut launched);
    launched.put_into_words();
    if remembers
        && !stop::is_asked()
        && let Some(order) = orders::failing(&launched.orders, skipped)
    {
        // What is shown is the order that has shown something.
        let trace = run(options, &script.without_outputs(), Some(order))?.trace;
        let findings = launched.diagnostics.clone();
        launched.trace = trace.map(|trace| Trace { findings, ..trace });
    }
    sources.read_for(&launched.diagnostics);
    if let Some(path) = &options.save_order {
        launched
            .ran
            .lost
            .extend(orders::save(path, &launched.orders, skipped).err().map(|why| format!("{why:#}")));
    }
    if let (Some(path), Some(trace)) = (&options.figure, &launched.trace) {
        launched.ran.lost.extend(write_figure(path, trace, &sources).err().map(|why| format!("{why:#}")));
    }
    Ok(Report { launched, sources })
}
