//! A whole program on the simulator: its `main` runs, what it prints comes as it is printed, and then what is
//! wrong with its host and its kernels.

use std::collections::BTreeMap;
use std::io::{BufRead, Read, Write, stderr, stdin, stdout};
use std::path::{Path, PathBuf};

use ::program::{Ended, KernelRun, Outside, Ran, Standard};
use anyhow::{Context, Result};
use kernel_compiler::compiler::{Compiler, HOW_TO_GET_CLANG, Maker};
use kernel_compiler::program::{Program, compile};
use ptx_simulator::trace::Trace;
use ptx_simulator::{Counters, Diagnostic, Kind, Module, Orders, Severity};
use serde::Serialize;
use text::columns::{Column, text_table};
use text::number::thousands;
use text::say;
use view::diagnostics;

use super::input::Sources;
use super::names::readable;
use super::options::{Checks, Options};

/// Instructions that the warps of all launches may execute together, unless `--steps-limit` says another
/// number: half a minute.
const MAX_WARP_STEPS: u64 = 1 << 26;
/// How many instructions of the host take as long as one of a warp.
const STEPS_PER_WARP_STEP: u64 = 64;
/// Bytes of a program's output that are kept for JSON, at most.
const MAX_PRINTED: usize = 64 << 20;
/// Bytes of the standard input that are read at once, at most.
const MAX_LINE: u64 = 1 << 20;
/// Bytes of a file that a program reads, at most.
const MAX_FILE: u64 = 1 << 30;

/// What came of a program.
pub struct Report {
    /// How it ended.
    pub ended: Ended,
    /// What is wrong with it, its host's part first.
    pub found: Vec<Diagnostic>,
    /// Its kernels.
    pub kernels: Vec<KernelRun>,
    /// Which orders of its launches were tried.
    pub orders: Vec<Orders>,
    /// The remembered launch, if that was asked for.
    pub trace: Option<Trace>,
    /// The sources that it quotes.
    pub sources: Sources,
    asked_for_times: bool,
    /// What it printed, for JSON.
    printed: [String; 2],
    /// Files that it may not read or write.
    refused: Vec<String>,
}

/// The object that `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    ok: bool,
    /// What `main` returned; none if it was stopped.
    status: Option<i32>,
    printed: &'a str,
    printed_to_stderr: &'a str,
    kernels: Vec<JsonKernel<'a>>,
    diagnostics: &'a [Diagnostic],
    #[serde(skip_serializing_if = "<[Orders]>::is_empty")]
    orders: &'a [Orders],
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<&'a Trace>,
}

#[derive(Serialize)]
struct JsonKernel<'a> {
    kernel: String,
    launches: u64,
    grid: [u32; 3],
    block: [u32; 3],
    counters: &'a Counters,
}

/// The terminal, and the files that the options let a program reach.
struct Terminal {
    reads: PathBuf,
    writes: Option<PathBuf>,
    /// What is printed is kept for JSON.
    keeps: bool,
    printed: [Vec<u8>; 2],
    texts: BTreeMap<String, Vec<String>>,
    refused: Vec<String>,
}

impl Terminal {
    fn new(options: &Options) -> Terminal {
        let own = options.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let reads = options.data.as_deref().or(own).unwrap_or(Path::new(".")).to_owned();
        let writes = options.out.clone();
        let files = [&options.file].into_iter().chain(&options.more);
        let text = |file: &PathBuf| {
            let text = std::fs::read_to_string(file).ok()?;
            Some((file.display().to_string(), text.lines().map(str::to_string).collect()))
        };
        let texts = files.filter_map(text).collect();
        Terminal {
            reads,
            writes,
            keeps: options.json,
            printed: Default::default(),
            texts,
            refused: Vec::new(),
        }
    }

    /// Where a file lies below a folder, if it does: it, too, where it is a link.
    fn below(folder: &Path, path: &str) -> Option<PathBuf> {
        let folder = folder.canonicalize().ok()?;
        let whole = folder.join(path);
        let place = match whole.symlink_metadata() {
            Ok(_) => whole.canonicalize().ok()?,
            Err(_) => whole.parent()?.canonicalize().ok()?.join(whole.file_name()?),
        };
        place.starts_with(&folder).then_some(place)
    }

    fn refuse(&mut self, what: String) {
        if !self.refused.contains(&what) {
            self.refused.push(what);
        }
    }
}

impl Outside for Terminal {
    fn write(&mut self, to: Standard, bytes: &[u8]) {
        if self.keeps {
            let kept = &mut self.printed[usize::from(to == Standard::Error)];
            if kept.len() + bytes.len() <= MAX_PRINTED {
                return kept.extend(bytes);
            }
            return self
                .refuse(format!("the program printed more than {MAX_PRINTED} bytes, which --json keeps"));
        }
        // A closed pipe ends what is printed, not the program.
        _ = match to {
            Standard::Out => stdout().write_all(bytes).and_then(|()| stdout().flush()),
            Standard::Error => stderr().write_all(bytes),
        };
    }

    fn read(&mut self, into: &mut Vec<u8>) {
        _ = stdin().lock().take(MAX_LINE).read_until(b'\n', into);
    }

    fn read_file(&mut self, path: &str) -> Option<Vec<u8>> {
        let Some(place) = Terminal::below(&self.reads, path) else {
            let folder = self.reads.display();
            self.refuse(format!(
                "the program may not read {path}: it lies outside of {folder} (--data FOLDER)"
            ));
            return None;
        };
        let size = std::fs::metadata(&place).ok().filter(|found| found.is_file())?.len();
        if size > MAX_FILE { None } else { std::fs::read(place).ok() }
    }

    fn write_file(&mut self, path: &str, bytes: &[u8]) -> bool {
        let place = self.writes.as_deref().and_then(|folder| Terminal::below(folder, path));
        let Some(place) = place else {
            self.refuse(format!(
                "the program may not write {path}: --out FOLDER lets it write below a folder"
            ));
            return false;
        };
        // A pipe may never have a reader.
        let is_pipe = std::fs::metadata(&place).is_ok_and(|found| !found.is_file());
        !is_pipe && std::fs::write(place, bytes).is_ok()
    }

    fn source_line(&self, file: &str, line: u32) -> Option<String> {
        self.texts.get(file)?.get(line.checked_sub(1)? as usize).cloned()
    }
}

/// Compiles the program of the command line, and runs it; the compiler's warnings go to stderr.
///
/// # Errors
/// There is no clang, it does not compile, or it cannot be run.
#[cfg(not(target_family = "wasm"))]
pub fn compiled_and_run(options: &Options, sources: Sources) -> Result<Report> {
    let root = kernel_compiler::root()?;
    let here = std::env::current_dir().context("the working directory is gone")?;
    let clang = Compiler::of(Maker::Clang, root)?.with_context(|| {
        format!(
            "{} is a whole program, which clang compiles, and there is no clang.\n{HOW_TO_GET_CLANG}",
            options.file.display()
        )
    })?;
    let files: Vec<PathBuf> = [&options.file].into_iter().chain(&options.more).cloned().collect();
    // The changed C++ headers are kept for the next time, if there is a place for them.
    let kept = root.join("target");
    let folder = if std::fs::create_dir_all(&kept).is_ok() { kept } else { std::env::temp_dir() };
    let program = compile(&clang.run_in(&here), &files, &options.for_compiler(), &folder)?;
    say::err(&program.said);
    run(options, &program, sources)
}

/// Runs a compiled program, which came from these `sources`.
///
/// # Errors
/// It cannot be run.
pub fn run(options: &Options, program: &Program, mut sources: Sources) -> Result<Report> {
    let device = super::launch::device(options, None)?;
    if options.steps || options.figure.is_some() || options.remembers {
        device.remember(super::MAX_EVENTS, None);
    }
    let name = options.file.display().to_string();
    device.name_by(sources.text(&name).unwrap_or_default());
    let module = Module::parse(&program.ptx, &name).map_err(|found| anyhow::Error::new(*found))?;
    let simulator = device.simulated().context("a program runs on the simulator")?;
    let mut terminal = Terminal::new(options);
    let args = [name].into_iter().chain(options.program_args.iter().cloned()).collect();
    let warp_limit = match options.steps_limit {
        None => Some(MAX_WARP_STEPS),
        Some(given) => given.0,
    };
    let step_limit = warp_limit.map(|limit| limit.saturating_mul(STEPS_PER_WARP_STEP));
    let how = ::program::Options {
        args,
        step_limit,
        warp_limit,
        device_variables: program.device_variables.clone(),
        managed_variables: program.managed_variables.clone(),
    };
    let Ran { ended, found, kernels, asked_for_times, .. } =
        ::program::run(simulator, &module, &how, &mut terminal)
            .map_err(|found| anyhow::Error::new(*found))?;
    let seen = device.take_seen();
    let mut found: Vec<Diagnostic> = found.into_iter().chain(seen.found).collect();
    for one in &mut found {
        let readable = |text: &str| readable(text);
        let mut words = ptx_simulator::Words::from(one.what.clone());
        words.message = readable(&words.message);
        words.related.iter_mut().for_each(|site| site.message = readable(&site.message));
        one.what = words.into();
        one.kernel = one.kernel.as_deref().map(readable);
        one.help += match one.kind {
            // A page has no command line.
            _ if cfg!(target_family = "wasm") => "",
            Kind::StepLimit => " (--steps-limit N allows more, `none` any number)",
            Kind::MemoryLimit => " (--memory allows more, and --checks off needs less)",
            _ => "",
        };
    }
    // What each launch of a kernel shows is said once.
    let mut said = std::collections::HashSet::new();
    found.retain(|one| said.insert((one.kind, one.file.clone(), one.line, one.message())));
    sources.read_for(&found);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Report {
        ended,
        found,
        kernels,
        orders: seen.orders,
        trace: device.take_trace(),
        sources,
        asked_for_times,
        printed: terminal.printed.map(text),
        refused: terminal.refused,
    })
}

impl Report {
    /// 0: `main` returned 0 and nothing was found. 1: something was found, or `main` returned something else.
    /// 2: the simulator cannot run this.
    pub fn status(&self) -> u8 {
        let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
        match self.ended {
            _ if self.found.iter().any(|found| found.kind == Kind::UnsupportedInstruction) => 2,
            Ended::Status(0) => u8::from(self.found.iter().filter(is_error).count() > 0),
            Ended::Status(_) | Ended::Stopped => 1,
        }
    }

    /// Prints all of it.
    ///
    /// # Errors
    /// The result cannot be written as JSON.
    pub fn print(&self, options: &Options) -> Result<()> {
        if options.json {
            let json =
                serde_json::to_string(&self.json(options)).context("the result cannot be written as JSON")?;
            say::json(&(json + "\n"));
        } else {
            say::out_in_colour(&self.text(options, say::has_colour(&stdout())));
        }
        for refused in &self.refused {
            say::err(&format!("note: {refused}\n"));
        }
        Ok(())
    }

    fn json(&self, options: &Options) -> Json<'_> {
        let kernels = self.kernels.iter().map(|run| {
            let (x, y, z) = run.config.grid_dim;
            let (a, b, c) = run.config.block_dim;
            JsonKernel {
                kernel: readable(&run.kernel),
                launches: run.launches,
                grid: [x, y, z],
                block: [a, b, c],
                counters: &run.counters,
            }
        });
        let status = match self.ended {
            Ended::Status(status) => Some(status),
            Ended::Stopped => None,
        };
        Json {
            ok: self.status() == 0,
            status,
            printed: &self.printed[0],
            printed_to_stderr: &self.printed[1],
            kernels: kernels.collect(),
            diagnostics: &self.found,
            orders: &self.orders,
            steps: self.trace.as_ref().filter(|_| options.steps),
        }
    }

    /// Each finding with its source lines, a line for each kernel, and the last line.
    fn text(&self, options: &Options, color: bool) -> String {
        let mut text = String::from("\n");
        for message in self.messages(color) {
            text += &format!("{message}\n");
        }
        if let Some(trace) = self.trace.as_ref().filter(|_| options.steps) {
            text += &format!("{}\n\n", say::visible(&view::table(trace)));
        }
        if !self.kernels.is_empty() {
            text += &format!("{}\n", self.table());
        }
        text + &self.verdict(options.checks) + "\n"
    }

    /// Each finding with its source lines.
    pub fn messages(&self, color: bool) -> impl Iterator<Item = String> + '_ {
        self.found.iter().map(move |found| diagnostics::render(found, |file| self.sources.text(file), color))
    }

    /// A line for each kernel: its launches, its first grid and block, what its warps counted.
    pub fn table(&self) -> String {
        let shape = |(x, y, z): (u32, u32, u32)| match (y, z) {
            (1, 1) => thousands(x.into()),
            (_, 1) => format!("{x} x {y}"),
            _ => format!("{x} x {y} x {z}"),
        };
        let runs = || self.kernels.iter();
        let count = |of: fn(&Counters) -> u64| runs().map(move |run| thousands(of(&run.counters) as i64));
        let columns = [
            Column::left("kernel", runs().map(|run| readable(&run.kernel))),
            Column::right("launches", runs().map(|run| thousands(run.launches as i64))),
            Column::right("grid", runs().map(|run| shape(run.config.grid_dim))),
            Column::right("block", runs().map(|run| shape(run.config.block_dim))),
            Column::right("instructions", count(|counters| counters.warp_instructions)),
            Column::right("load sectors", count(|counters| counters.global_load_sectors)),
            Column::right("store sectors", count(|counters| counters.global_store_sectors)),
            Column::right("atomics", count(|counters| counters.atomics)),
        ];
        text_table(&columns)
    }

    /// The last line.
    pub fn verdict(&self, checks: Checks) -> String {
        let all = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
        let counted = all.into_iter().filter_map(|(severity, word)| {
            match self.found.iter().filter(|found| found.severity == severity).count() {
                0 => None,
                1 => Some(format!("1 {word}")),
                count => Some(format!("{count} {word}s")),
            }
        });
        let counted: Vec<String> = counted.collect();
        let returned = match self.ended {
            Ended::Status(0) => String::new(),
            Ended::Status(status) => format!("; the program returned {status}"),
            Ended::Stopped => "; the program was stopped".to_string(),
        };
        let orders = match view::orders::said(&self.orders) {
            Some(orders) => format!(" ({orders})"),
            None => String::new(),
        };
        let first = match (counted.is_empty(), checks) {
            (true, Checks::On) => format!("ok: nothing is wrong{orders}"),
            (true, Checks::Off) => "ran to its end; the checks were off".to_string(),
            (false, _) => counted.join(", "),
        };
        let times = if self.asked_for_times {
            "; what the program printed as times are none: the simulator has no clock"
        } else {
            ""
        };
        format!("{first}{returned}{times}")
    }
}
