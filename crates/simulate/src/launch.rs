//! The steps of a plan on a device, and their result.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Error, Result, ensure};

use super::input::MOST_SOURCE;
use super::options::{Checks, Options};
use super::patience::Patience;
use super::plan::{Check, Launch, Named, Plan, Save, Step};
use super::spec::{Spec, Value};
use super::stage::Stage;
use super::values::Held;
use super::{fit, names};
use workbook::device::{Device, LaunchConfig, Module, SimulatorOptions};
use workbook::files::{check_place, read_text};
use workbook::number::thousands;
use workbook::sim::trace::Trace;
use workbook::sim::{self, Counters, Diagnostic, Kind};

/// The result of a launch.
#[derive(Default)]
pub struct Launched {
    /// As PTX names it; several, if there are several launches.
    pub kernel: String,
    /// What it did.
    pub counters: Counters,
    /// What the checks have found.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it ran to its end; if not, the last finding says why.
    pub completed: bool,
    /// What they hold afterwards, in their order.
    pub buffers: Vec<Held>,
    /// Buffers that do not hold what is expected, a sentence for each.
    pub wrong: Vec<String>,
    /// Why outputs could not be written, a sentence for each.
    pub lost: Vec<String>,
    /// What device `printf` wrote.
    pub printed: String,
    /// What was remembered of it, if that was asked for.
    pub trace: Option<Trace>,
}

impl Launched {
    /// Adds what the same launch has shown under another schedule, and only there.
    pub fn unite(&mut self, (wrong, found): (Vec<String>, Vec<Diagnostic>), schedule: u64) {
        for wrong in wrong {
            if !self.wrong.contains(&wrong) {
                self.wrong.push(format!("{wrong} (under schedule {schedule})"));
            }
        }
        for mut found in found {
            if !self.diagnostics.iter().any(|known| is_alike(known, &found)) {
                let mut words = sim::Words::from(found.what);
                words.message += &format!(" (under schedule {schedule})");
                found.what = words.into();
                self.diagnostics.push(found);
            }
        }
    }
}

/// Whether two findings are of the same kind and about the same lines, from whichever side.
fn is_alike(a: &Diagnostic, b: &Diagnostic) -> bool {
    let lines = |found: &Diagnostic| {
        let related = found.related().into_iter().map(|site| (Some(site.file), Some(site.line)));
        related.chain([(found.file.clone(), found.line)]).collect::<HashSet<_>>()
    };
    (a.kind, a.severity) == (b.kind, b.severity) && lines(a) == lines(b)
}

/// The simulator that `options` ask for, with one of its schedules.
pub fn device(options: &Options, schedule: u64) -> Result<Device> {
    let device = Device::simulator(SimulatorOptions {
        schedule,
        checks: options.checks == Checks::On,
        step_limit: options.steps_limit,
        memory: options.memory,
        sync_depth: options.sync_depth,
        keep_printed: true,
    });
    device.set_pending_launch_limit(options.pending_launches)?;
    device.observe(Rc::new(RefCell::new(Patience::new())));
    Ok(device)
}

/// What the options ask for, with the script that they name.
///
/// # Errors
/// A script that cannot be read, with the line.
pub fn plan(options: &Options) -> Result<Plan> {
    let mut plan = Plan { buffers: options.buffers.clone(), steps: Vec::new() };
    plan.steps.extend(options.symbols.iter().cloned().map(Step::Symbol));
    if let Some(file) = &options.script {
        let text = read_text(file, MOST_SOURCE).with_context(|| format!("cannot read {}", file.display()))?;
        plan.add_script(&text).map_err(|why| Error::msg(format!("{}:{why}", file.display())))?;
    } else {
        let config = options.config().context("give --grid and --block, or a --script")?;
        let (kernel, cluster, args) = (options.kernel.clone(), options.cluster, options.args.clone());
        plan.steps.push(Step::Launch(Launch { kernel, config, cluster, args }));
    }
    plan.steps.extend(options.expected.iter().cloned().map(Step::Check));
    plan.steps.extend(options.saves.iter().cloned().map(Step::Save));
    plan.open_files(options.memory).map_err(Error::msg)?;
    Ok(plan)
}

/// Does what `plan` says. `templates` of the source may be meant by a name that there is no kernel for.
///
/// # Errors
/// There is no such kernel, or the plan does not fit it.
pub fn launch(
    device: &Device,
    module: &Module,
    options: &Options,
    plan: &Plan,
    templates: &[&str],
) -> Result<Launched> {
    let mut plan = plan.clone();
    for step in &mut plan.steps {
        let Step::Launch(launch) = step else { continue };
        let file = || options.file.display().to_string();
        let kernel = names::kernel(module, launch.kernel.as_deref(), templates).with_context(file)?;
        let params = module.ptx().params(kernel).unwrap_or_default();
        fit::check(kernel, params, &launch.args).with_context(file)?;
        sim::check_config(&launch.config).map_err(Error::msg)?;
        launch.kernel = Some(kernel.to_string());
    }
    check_memory(&plan, options.memory)?;
    check_names(&plan)?;
    check_outputs(&plan, options)?;
    run_plan(device, module, &plan)
}

/// What is compared and saved is a buffer of the plan.
fn check_names(plan: &Plan) -> Result<()> {
    let mut names: Vec<String> = plan.buffers.iter().map(|named| named.name.clone()).collect();
    for step in &plan.steps {
        let Step::Launch(launch) = step else { continue };
        let is_buffer = |arg: &Spec| matches!(arg.value, Value::Buffer(_));
        let args = (0..).zip(&launch.args).filter(|(_, arg)| is_buffer(arg));
        names.extend(args.map(|(number, _): (usize, _)| number.to_string()));
    }
    for step in &plan.steps {
        let (Step::Check(Check { expected: Named { name, .. }, .. }) | Step::Save(Save { name, .. })) = step
        else {
            continue;
        };
        let all = || names.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(", ");
        ensure!(names.contains(name), "no buffer is called @{name}; there are: {}", all());
    }
    Ok(())
}

/// Every output can be written, as far as that is known, and none takes the place of the kernel, of the
/// script or of another output.
fn check_outputs(plan: &Plan, options: &Options) -> Result<()> {
    let place = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_default();
    let mut taken: Vec<PathBuf> =
        [&options.file].into_iter().chain(&options.script).map(|path| place(path)).collect();
    let saves = plan.steps.iter().filter_map(|step| match step {
        Step::Save(save) => Some(&save.file),
        _ => None,
    });
    for file in saves.chain(&options.figure) {
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

fn check_memory(plan: &Plan, memory: u64) -> Result<()> {
    let named = plan.buffers.iter().map(|named| named.fill.bytes(named.kind));
    let of_launches = plan.steps.iter().map(|step| match step {
        Step::Launch(launch) => launch.args.iter().map(Spec::buffer_bytes).sum(),
        _ => 0,
    });
    let bytes: u64 = named.chain(of_launches).sum();
    ensure!(
        bytes <= memory,
        "the buffers have {} bytes together, and --memory allows {}",
        thousands(bytes as i64),
        thousands(memory as i64)
    );
    Ok(())
}

/// Launches `kernel` of `module` with `args`, which become numbers and buffers on `device`; in clusters of so
/// many blocks, if the launch has to say it.
///
/// # Errors
/// There is no such kernel; `args` do not fit its parameters, or there is no room for them. What the checks
/// find is no error.
pub fn run_kernel(
    device: &Device,
    module: &Module,
    kernel: &str,
    config: LaunchConfig,
    cluster: Option<(u32, u32, u32)>,
    args: &[Spec],
) -> Result<Launched> {
    let launch = Launch { kernel: Some(kernel.to_string()), config, cluster, args: args.to_vec() };
    let mut plan = Plan { buffers: Vec::new(), steps: vec![Step::Launch(launch)] };
    plan.open_files(u64::MAX).map_err(Error::msg)?;
    run_plan(device, module, &plan)
}

fn run_plan(device: &Device, module: &Module, plan: &Plan) -> Result<Launched> {
    let mut stage = Stage::new(device, module, plan)?;
    let mut launched = Launched { completed: true, ..Launched::default() };
    for step in &plan.steps {
        match step {
            Step::Symbol(symbol) => stage.set_symbol(symbol)?,
            Step::Launch(launch) => {
                let kernel = launch.kernel.clone().unwrap_or_default();
                launched.kernel = match launched.kernel.is_empty() {
                    true => kernel,
                    false => format!("{}, {kernel}", launched.kernel),
                };
                launched.completed = stage.launch(launch)?;
            }
            Step::Check(check) => launched.wrong.extend(stage.check(check)?),
            Step::Save(save) => launched.lost.extend(stage.save(save).err().map(|why| why.to_string())),
        }
        if !launched.completed {
            break;
        }
    }
    let seen = device.take_seen();
    launched.counters = seen.counters.unwrap_or_default();
    launched.diagnostics = seen.found;
    for found in &mut launched.diagnostics {
        let mut words = sim::Words::from(found.what.clone());
        let related = words.related.iter_mut().map(|site| &mut site.message);
        let texts = related.chain([&mut words.message, &mut found.help]).chain(&mut found.kernel);
        texts.for_each(|text| *text = names::readable(text));
        found.what = words.into();
        found.help = match found.kind {
            Kind::MemoryLimit => format!("{}; --memory allows more, and --checks off needs less", found.help),
            _ => found.help.replace("cudaMemcpyToSymbol", "--symbol"),
        };
    }
    launched.printed = device.take_printed();
    launched.trace = device.take_trace().map(|trace| with_kinds(trace, &stage, plan));
    launched.buffers = stage.held()?;
    Ok(launched)
}

/// The trace with the types of the buffers that are arguments.
fn with_kinds(mut trace: Trace, stage: &Stage, plan: &Plan) -> Trace {
    for step in &plan.steps {
        let Step::Launch(launch) = step else { continue };
        for (place, arg) in launch.args.iter().enumerate() {
            let name = format!("argument {place}");
            let kind = stage.kind_of(arg).name();
            for buffer in trace.buffers.iter_mut().filter(|buffer| buffer.name == name) {
                buffer.kind.get_or_insert_with(|| kind.clone());
            }
        }
    }
    trace
}
