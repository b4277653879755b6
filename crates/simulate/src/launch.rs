//! The steps of a script on the simulator, and their result.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use cuda_source::functions::{Function, device_functions};
use cuda_source::lex::Token;
use cuda_source::parameters::{Kernel, parameters};
use device::{Device, LaunchConfig, LaunchOrder, Module, SimulatorOptions};
use launch::{
    self as language, Files, Held, Launch, Output, Place, Ran, Scope, Script, Spec, Step, Type, Value,
};
use program::Uncovered;
use ptx_simulator::trace::{Did, Trace};
use ptx_simulator::{self as sim, DEFAULT_STEP_LIMIT, Diagnostic, Kind, Orders, Region};
use text::files::{check_place, read_text};
use text::number::thousands;

use super::cure::Cure;
use super::input::MAX_SOURCE;
use super::kinds::{self, Warning};
use super::options::{Checks, Options, with_option};
use super::{buffers, fit, names, orders, stop};

/// A buffer of which the launches have left elements unwritten.
pub struct Unwritten {
    pub buffer: String,
    /// Elements that were never written.
    pub left: u64,
    /// Elements that it has.
    pub has: u64,
    /// Why, if the shape of the only launch explains it.
    pub why: Option<Misfit>,
}

/// How the shape of a launch does not fit what it should write.
#[derive(Clone, Copy)]
pub enum Misfit {
    /// It has fewer threads than the buffer has elements.
    TooFew { blocks: u64, threads: u64 },
    /// Its threads cover a part of the rows or of the columns.
    Uncovered(Uncovered),
    /// The source reads `threadIdx.y` or `blockIdx.y`, and all threads are in one row.
    OneRow,
}

/// The result of a launch.
#[derive(Default)]
pub struct Launched {
    /// The kernels that were launched, as PTX names them.
    pub kernels: Vec<String>,
    /// What is probably wrong with the lines of the script.
    pub warnings: Vec<Warning>,
    /// What the checks have found.
    pub diagnostics: Vec<Diagnostic>,
    /// What cures them, as far as that was tried and found.
    pub cures: Vec<Cure>,
    /// What it has left behind.
    pub ran: Ran,
    /// Buffers of which the launches have written a part.
    pub unwritten: Vec<Unwritten>,
    /// Threads of the launches whose result is wanted.
    pub threads: u64,
    /// The buffers that were compared with what they should hold.
    pub compared: Vec<String>,
    /// What device `printf` wrote.
    pub printed: String,
    /// Which orders of each launch were tried.
    pub orders: Vec<Orders>,
    /// What was remembered of it, if that was asked for.
    pub trace: Option<Trace>,
}

impl Launched {
    /// Says what was found in words, with names as the source has them.
    pub fn put_into_words(&mut self) {
        for found in &mut self.diagnostics {
            let mut words = sim::Words::from(found.what.clone());
            let related = words.related.iter_mut().map(|site| &mut site.message);
            let texts = related.chain([&mut words.message, &mut found.help]).chain(&mut found.kernel);
            for text in texts {
                *text = names::readable(text);
            }
            found.what = words.into();
        }
    }
}

/// The simulator that `options` ask for. With an `order` it follows that one, and tries no other.
///
/// # Errors
/// The limit of pending launches cannot be set.
pub fn device(options: &Options, order: Option<LaunchOrder>) -> Result<Device> {
    let device = Device::simulator(SimulatorOptions {
        schedule: options.schedule.unwrap_or(0),
        every_order: orders::budget(options).filter(|_| order.is_none()),
        order,
        checks: options.checks == Checks::On,
        step_limit: options.steps_limit.map_or(Some(DEFAULT_STEP_LIMIT), |given| given.0),
        gpu: options.gpu,
        memory: options.memory,
        sync_depth: options.sync_depth,
        stop: Some(&stop::ASKED),
        keep_printed: true,
    });
    device.set_pending_launch_limit(options.pending_launches)?;
    Ok(device)
}

/// What the options ask for, with the script that they name. If they name no launch, the script is that of
/// the file with the kernel, whose text is `source`: its lines that begin with `//@`.
///
/// # Errors
/// A script that cannot be read, with the line; no launch; more elements than fit into memory.
pub fn script(options: &Options, source: &str) -> Result<Script> {
    let mut script = Script::default();
    let add = |script: &mut Script, what: &str, lines: &[String]| {
        lines.iter().try_for_each(|line| {
            script
                .add(what, line, Scope::default())
                .map_err(|why| anyhow!("invalid value '{line}' for '--{what}': {why:#}"))
        })
    };
    add(&mut script, "buffer", &options.buffers)?;
    add(&mut script, "symbol", &options.symbols)?;
    let constants = language::constants(source);
    let add_lines = |script: &mut Script, file: &Path, text: &str, files: Files| {
        let scope = Scope { files, names: &constants };
        script.add_lines(text, scope).map_err(|why| anyhow!("{}:{why:#}", file.display()))
    };
    if let Some(file) = &options.script {
        let text = read_text(file, MAX_SOURCE).with_context(|| format!("cannot read {}", file.display()))?;
        add_lines(&mut script, file, &text, Files::Any)?;
    } else if let (Some(grid_dim), Some(block_dim)) = (options.grid, options.block) {
        let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: options.shared };
        let kernel = options.kernel.clone();
        let cluster = options.cluster;
        let args = options.args.clone();
        script.launch(Launch { kernel, config, cluster, args })?;
    } else {
        let all = language::in_comments(source);
        let lines = options.cell.map_or(all.clone(), |cell| language::down_to_cell(&all, cell as usize));
        add_lines(&mut script, &options.file, &lines, inside(options))?;
        let file = options.file.display();
        if script.launches().next().is_none() {
            bail!(
                "{file} has no line `//@ launch …`: add one, like //@ launch sum<<<4, 256>>> \
                 @in i32:1024, or give --grid and --block, or a --script"
            );
        }
    }
    add(&mut script, "expect", &options.expected)?;
    add(&mut script, "save", &options.saves)?;
    script.names_buffers = true;
    Ok(script)
}

/// What the script in the comments of the kernel's file may read and write.
fn inside(options: &Options) -> Files<'_> {
    // The parent of `mine.cu` is an empty path.
    let own = options.file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let reads = options.data.as_deref().or(own).unwrap_or(Path::new("."));
    Files::Inside { reads, writes: options.out.as_deref() }
}

/// What the options want of `script`: all of it, or a cell and what that needs, and then the names of what is
/// shown.
fn wanted(module: &Module, options: &Options, script: &Script) -> Result<(Script, Option<Vec<String>>)> {
    let Some(cell) = options.cell else { return Ok((script.clone(), None)) };
    // Those with a dollar sign are texts that the compiler has named.
    let has_variables = module.ptx().variables().iter().any(|name| !name.contains('$'));
    let (script, shown) =
        script.of_cell(cell as usize, has_variables).with_context(|| options.file.display().to_string())?;
    Ok((script, Some(shown)))
}

/// Does what `script` says with the kernels of `source`. Its `templates` may be meant by a name that there is
/// no kernel for.
///
/// # Errors
/// There is no such kernel, or the script does not fit it.
pub fn launch(
    device: &Device,
    module: &Module,
    options: &Options,
    script: &Script,
    (source, templates): (&str, &[Kernel]),
) -> Result<Launched> {
    let (mut script, shown) = wanted(module, options, script)?;
    check_memory(&script, options.memory)?;
    // Between the place and the reason stands a colon and a blank.
    let wrong = |why: anyhow::Error, line| anyhow!("{}: {why:#}", at(options, line));
    for named in script.buffers.iter() {
        let mut all = named.fill.names().into_iter();
        all.try_for_each(|name| script.buffer(name).map(drop)).map_err(|why| wrong(why, named.line))?;
    }
    for number in 0..script.steps.len() {
        let line = script.places[number].line;
        check_step(&mut script, number, module, (source, templates)).map_err(|why| wrong(why, line))?;
    }
    check_outputs(&script, options)?;
    device.simulated().context("a script runs on the simulator here")?.name_by(source);
    let mut ran = language::run(device, module, &script)?;
    for (wrong, place) in ran.wrong.iter_mut().zip(&ran.wrong_at).filter(|(_, place)| place.line > 0) {
        *wrong = format!("{}: {wrong}", at(options, place.line));
    }
    if let Some(shown) = shown {
        ran.buffers.retain(|held| shown.contains(&held.name));
    }
    let seen = device.take_seen();
    let launches = script.launches().skip(ran.skipped).take(ran.counters.len());
    let kernels = launches.filter_map(|launch| launch.kernel.clone());
    let mut launched = Launched {
        kernels: kernels.collect(),
        warnings: warnings(&script, options, source),
        diagnostics: seen.found,
        cures: Vec::new(),
        orders: seen.orders,
        unwritten: unwritten(&ran, &script, source),
        threads: script.own_launches().map(all_threads).sum(),
        compared: compared(&script),
        ran,
        printed: device.take_printed(),
        trace: device.take_trace().map(|trace| with_names(trace, &script)),
    };
    let stopped = (launched.ran.skipped + launched.ran.counters.len()).checked_sub(1);
    let stopped = stopped.and_then(|number| script.launches().nth(number));
    for found in &mut launched.diagnostics {
        let alone = stopped.and_then(|launch| one_element(found, launch, &script));
        found.help = with_option(found.kind, &found.help).replace("cudaMemcpyToSymbol", "--symbol");
        found.help += &alone.unwrap_or_default();
    }
    Ok(launched)
}

/// Where a line of the script stands: its file and, if that is not 0, its number.
fn at(options: &Options, line: usize) -> String {
    match (line, options.script.as_ref().unwrap_or(&options.file).display()) {
        (0, file) => file.to_string(),
        (line, file) => format!("{file}:{line}"),
    }
}

/// Kernels, variables and buffers that a step names are there, and its arguments fit. The step has their
/// names in PTX then.
fn check_step(
    script: &mut Script,
    number: usize,
    module: &Module,
    (source, templates): (&str, &[Kernel]),
) -> Result<()> {
    for name in script.steps[number].names() {
        script.buffer(name)?;
    }
    match &mut script.steps[number] {
        Step::Launch(launch) => {
            let kernel = names::kernel(module, launch.kernel.as_deref(), templates)?;
            let params = module.ptx().params(kernel).unwrap_or_default();
            fit::check(names::short(kernel), params, &parameters(source, kernel), &launch.args)?;
            sim::check_config(&launch.config).map_err(anyhow::Error::msg)?;
            launch.kernel = Some(kernel.to_string());
        }
        Step::Symbol { named, variable } => *variable = names::variable(module, &named.name)?.to_string(),
        Step::Check { .. } | Step::Same { .. } | Step::Save { .. } => {}
    }
    Ok(())
}

/// What is probably wrong with the launches whose result is wanted.
fn warnings(script: &Script, options: &Options, source: &str) -> Vec<Warning> {
    let file = options.script.as_ref().unwrap_or(&options.file).display().to_string();
    let own = script.steps.iter().zip(&script.places).skip(script.before);
    let of_launch = |(step, place): (&Step, &Place)| {
        let Step::Launch(launch) = step else { return Vec::new() };
        // A launch of the command line stands in no line.
        let line = Some(place.line).filter(|line| *line > 0);
        let at_line = |what| Warning::new(line.map(|_| file.clone()), line, what);
        kinds::misfits(launch, script, source).into_iter().map(at_line).collect()
    };
    own.flat_map(of_launch).collect()
}

/// Buffers that had elements which nobody had written, of which the launches have written some and left some.
fn unwritten(ran: &Ran, script: &Script, source: &str) -> Vec<Unwritten> {
    let mut launches = script.own_launches();
    let only = launches.next().filter(|_| launches.next().is_none());
    let left = |held: &Held| {
        let fill = &script.buffers[script.buffer(&held.name).ok()?].fill;
        let left = buffers::unwritten(held) as u64;
        let has = fill.count();
        let why = only.and_then(|launch| misfit(launch, has, source));
        (0 < left && left < fill.uninit()).then(|| Unwritten { buffer: buffers::name(held), left, has, why })
    };
    ran.buffers.iter().filter_map(left).collect()
}

/// The buffers that the script compares, once each.
fn compared(script: &Script) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for step in script.steps.iter().skip(script.before) {
        if let Some(name) = step.compared().filter(|name| !names.contains(name)) {
            names.push(name.clone());
        }
    }
    names
}

/// Why a launch of kernels in `source` leaves some of so many elements unwritten, if its shape explains it.
fn misfit(launch: &Launch, elements: u64, source: &str) -> Option<Misfit> {
    let rows = launch.config.grid_dim.1 * launch.config.block_dim.1;
    let is_row = |three: &[Token]| {
        let is_index = ["threadIdx", "blockIdx"].iter().any(|name| three[0].is_word(name));
        is_index && three[1].is_mark(".") && three[2].is_word("y")
    };
    let kernel = names::short(launch.kernel.as_deref().unwrap_or_default());
    let reads_rows = |function: Function| function.name == kernel && function.body.windows(3).any(is_row);
    if rows == 1 && device_functions(source).into_iter().any(reads_rows) {
        return Some(Misfit::OneRow);
    }
    let whole = |spec: &Spec| match spec.value {
        Value::Number(Type::Signed(_) | Type::Unsigned(_), bits) => Some(bits).filter(|bits| *bits > 1),
        _ => None,
    };
    let numbers: Vec<u64> = launch.args.iter().filter_map(whole).collect();
    if let Some(uncovered) = program::uncovered(launch.config, &numbers, elements) {
        return Some(Misfit::Uncovered(uncovered));
    }
    let blocks = product(launch.config.grid_dim);
    let threads = product(launch.config.block_dim);
    (all_threads(launch) < elements).then_some(Misfit::TooFew { blocks, threads })
}

/// Threads of all blocks.
fn all_threads(launch: &Launch) -> u64 {
    product(launch.config.grid_dim).saturating_mul(product(launch.config.block_dim))
}

fn product((x, y, z): (u32, u32, u32)) -> u64 {
    [x, y, z].into_iter().map(u64::from).fold(1, u64::saturating_mul)
}

/// What to write for a buffer of one element that `found` is out of the bounds of, if `launch` has it.
fn one_element(found: &mut Diagnostic, launch: &Launch, script: &Script) -> Option<String> {
    let is_outside = found.kind == Kind::OutOfBounds;
    let Region::Argument(number) = found.spot_mut().filter(|_| is_outside)?.region else { return None };
    let Value::Pointer(pointer) = &launch.args.get(number)?.value else { return None };
    let fill = &script.buffers[script.buffer(&pointer.buffer).ok()?].fill;
    let count = fill.only_number().filter(|count| *count > 1)?;
    let kind = fill.kind.name();
    Some(format!(
        "; `{kind}:{count}` is one element, {count}: write {kind}:zeros*{count} for {count} elements"
    ))
}

/// Every output can be written, as far as that is
/// known, and none takes the place of the kernel, of the script or of another output.
fn check_outputs(script: &Script, options: &Options) -> Result<()> {
    if let Some(folder) = options.out.as_deref().filter(|folder| !folder.is_dir()) {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let place = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_default();
    let mut taken: Vec<PathBuf> =
        [&options.file].into_iter().chain(&options.script).map(|path| place(path)).collect();
    let mut outputs = Vec::new();
    for step in &script.steps {
        if let Step::Save { output: Output::Replaced(file) | Output::New(file), .. } = step {
            outputs.push(file);
        }
    }
    for file in outputs.into_iter().chain(&options.figure) {
        let cannot = || format!("cannot write {}", file.display());
        check_place(file).with_context(cannot)?;
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        ensure!(folder.is_none_or(Path::is_dir), "{}: there is no such directory", cannot());
        let place = place(file);
        // What is no file, like /dev/null, may take more than one output.
        let is_file = !place.exists() || place.is_file();
        ensure!(
            !(is_file && taken.contains(&place)),
            "{} is the kernel, the script or another output; write to another file",
            file.display()
        );
        taken.push(place);
    }
    Ok(())
}

/// The buffers fit into `memory` bytes.
fn check_memory(script: &Script, memory: u64) -> Result<()> {
    let bytes: u64 = script.buffers.iter().map(|named| named.fill.bytes()).sum();
    let [has, allowed] = [bytes, memory].map(|bytes| thousands(bytes as i64));
    ensure!(bytes <= memory, "the buffers have {has} bytes together, and --memory allows {allowed}");
    Ok(())
}

/// The trace with the types of the buffers that are arguments, and with kernels as the source names them.
fn with_names(mut trace: Trace, script: &Script) -> Trace {
    trace.kernel = names::readable(&trace.kernel);
    for event in &mut trace.events {
        if let Did::Start { kernel, .. } = &mut event.did {
            *kernel = names::readable(kernel);
        }
    }
    for (place, arg) in script.own_launches().flat_map(|launch| launch.args.iter().enumerate()) {
        let Value::Pointer(pointer) = &arg.value else { continue };
        let Ok(number) = script.buffer(&pointer.buffer) else { continue };
        let name = format!("argument {place}");
        let kind = script.buffers[number].fill.kind.name();
        for buffer in trace.buffers.iter_mut().filter(|buffer| buffer.name == name) {
            buffer.kind.get_or_insert_with(|| kind.to_string());
        }
    }
    trace
}
