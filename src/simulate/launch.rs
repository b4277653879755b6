//! The launch on a device: which kernel, whether the arguments fit its parameters, and its result.

use std::collections::HashSet;

use anyhow::{Context, Error, Result, bail, ensure};
use cpp_demangle::{DemangleOptions, Symbol};

use super::options::{Checks, Options};
use super::spec::{Spec, Value};
use super::values::Held;
use crate::device::{Arg, Device, LaunchConfig, Module, SimulatorOptions};
use crate::number::thousands;
use crate::sim::trace::Trace;
use crate::sim::{self, Counters, Diagnostic, Param};

/// The result of a launch.
#[derive(Default)]
pub struct Launched {
    /// As PTX names it.
    pub kernel: String,
    /// What it did.
    pub counters: Counters,
    /// What the checks have found.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it ran to its end; if not, the last finding says why.
    pub completed: bool,
    /// What they hold afterwards, in the order of the arguments.
    pub buffers: Vec<Held>,
    /// What device `printf` wrote.
    pub printed: String,
    /// What was remembered of it, if that was asked for.
    pub trace: Option<Trace>,
}

impl Launched {
    /// Adds what the same launch has shown under another schedule, and only there.
    pub fn unite(&mut self, other: Launched, schedule: u64) {
        for mut found in other.diagnostics {
            if !self.diagnostics.iter().any(|known| is_alike(known, &found)) {
                found.message += &format!(" (under schedule {schedule})");
                self.diagnostics.push(found);
            }
        }
    }
}

/// Whether two findings are of the same kind and about the same lines, from whichever side.
fn is_alike(a: &Diagnostic, b: &Diagnostic) -> bool {
    let lines = |found: &Diagnostic| {
        let related = found.related.iter().map(|site| (Some(site.file.clone()), Some(site.line)));
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
    Ok(device)
}

/// Launches the kernel that `options` ask for. `templates` of the source may be meant by a name that there is
/// no kernel for.
///
/// # Errors
/// There is no such kernel, or the options do not fit it.
pub fn launch(device: &Device, module: &Module, options: &Options, templates: &[&str]) -> Result<Launched> {
    let file = options.file.display();
    let kernel = kernel(module, options.kernel.as_deref(), templates).with_context(|| format!("{file}"))?;
    let params = module.ptx().params(kernel).unwrap_or_default();
    check_args(kernel, params, &options.args, options.memory).with_context(|| format!("{file}"))?;
    sim::check_config(&options.config()).map_err(Error::msg)?;
    run_kernel(device, module, kernel, options.config(), &options.args)
}

/// Launches `kernel` of `module` with `args`, which become numbers and buffers on `device`.
///
/// # Errors
/// There is no such kernel; `args` do not fit its parameters, or there is no room for them. What the checks
/// find is no error.
pub fn run_kernel(
    device: &Device,
    module: &Module,
    kernel: &str,
    config: LaunchConfig,
    args: &[Spec],
) -> Result<Launched> {
    let function = module.load_function(kernel)?;
    let mut launch = device.launch_builder(&function);
    let mut buffers = Vec::new();
    for (number, spec) in args.iter().enumerate() {
        match &spec.value {
            Value::Number(bits) => launch.arg(&Arg::number(*bits, spec.kind.bytes())),
            Value::Buffer(fill) => {
                let buffer = match fill.bytes(spec.kind) {
                    Some(bytes) => device.clone_htod(&bytes)?,
                    // What nobody has written stays so.
                    None => device.alloc::<u8>(spec.buffer_bytes() as usize)?,
                };
                launch.arg(&buffer);
                buffers.push((number, spec.kind, buffer));
                &mut launch
            }
        };
    }
    let completed = match launch.launch(config) {
        Ok(()) => true,
        // It is among the findings.
        Err(error) if error.is::<Diagnostic>() => false,
        Err(error) => return Err(error),
    };
    let held = buffers.into_iter().map(|(arg, kind, buffer)| {
        let width = kind.bytes();
        let is_unwritten =
            |element: &usize| !device.is_defined(&buffer, element * width..(element + 1) * width);
        let unwritten = match device.is_defined(&buffer, 0..buffer.len()) {
            true => HashSet::new(),
            false => (0..buffer.len() / width).filter(is_unwritten).collect(),
        };
        Ok(Held { arg, kind, bytes: device.clone_dtoh(&buffer)?, unwritten })
    });
    let seen = device.take_seen();
    let mut diagnostics = seen.found;
    for found in &mut diagnostics {
        let related = found.related.iter_mut().map(|site| &mut site.message);
        let texts = related.chain([&mut found.message, &mut found.help]).chain(&mut found.kernel);
        texts.for_each(|text| *text = readable(text));
    }
    Ok(Launched {
        kernel: kernel.to_string(),
        counters: seen.counters.unwrap_or_default(),
        diagnostics,
        completed,
        buffers: held.collect::<Result<_>>()?,
        printed: device.take_printed(),
        trace: device.take_trace().map(|trace| with_kinds(trace, args)),
    })
}

/// The trace with the types of the buffers that `args` are.
fn with_kinds(mut trace: Trace, args: &[Spec]) -> Trace {
    for (place, arg) in args.iter().enumerate() {
        let name = format!("argument {place}");
        for buffer in trace.buffers.iter_mut().filter(|buffer| buffer.name == name) {
            buffer.kind = Some(arg.kind.name());
        }
    }
    trace
}

/// The kernel called `asked`, as PTX names it or as the source does; without a name the only one.
fn kernel<'m>(module: &'m Module, asked: Option<&str>, templates: &[&str]) -> Result<&'m str> {
    let kernels = module.kernels();
    // A file that includes CUB or Thrust has their kernels too.
    let own: Vec<&String> = kernels.iter().filter(|name| !is_of_library(name)).collect();
    let template = templates.iter().find(|name| asked.is_none_or(|asked| asked == **name));
    let hint = template.map_or(String::new(), |name| {
        format!(
            "\n{name} is a template, which becomes a kernel only where it is instantiated: add a line such as \
             `template __global__ void {name}<float>(float *);`"
        )
    });
    ensure!(
        !own.is_empty(),
        "there is no kernel in it: no `.entry` in PTX, no `__global__` in CUDA C++{hint}"
    );
    let list = || own.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    let named: Vec<&String> = match asked {
        None => own.clone(),
        Some(asked) => match kernels.iter().find(|name| *name == asked) {
            Some(exact) => vec![exact],
            None => kernels.iter().filter(|name| is_named(name, asked)).collect(),
        },
    };
    match (&named[..], asked) {
        ([one], _) => Ok(one),
        ([], Some(asked)) => bail!("no kernel is named {asked}; there are: {}{hint}", list()),
        (_, Some(asked)) => bail!("several kernels are named {asked}; give the whole name, of: {}", list()),
        (_, None) => bail!("there are several kernels; give --kernel one of: {}", list()),
    }
}

/// `lab::sum<int>` of a kernel that is not `extern "C"`: its name in the source, without the types of its
/// parameters.
fn source_name(kernel: &str) -> Option<String> {
    let options = DemangleOptions::new().no_params().no_return_type();
    Symbol::new(kernel).ok()?.demangle_with_options(&options).ok()
}

fn is_of_library(kernel: &str) -> bool {
    let name = source_name(kernel).unwrap_or_default();
    ["cub::", "thrust::"].iter().any(|library| name.starts_with(library))
}

/// Names as the source has them, in place of those that the compiler made of them.
fn readable(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("_Z") {
        let (before, name) = rest.split_at(at);
        let (name, after) = name.split_at(name.find(|c| !is_part(c)).unwrap_or(name.len()));
        out += before;
        out += &source_name(name).unwrap_or(name.to_string());
        rest = after;
    }
    out + rest
}

/// Whether the source calls `kernel` so; what a template is made for may be left out.
fn is_named(kernel: &str, asked: &str) -> bool {
    let is_same = |name: String| name == asked || name.split('<').next() == Some(asked);
    source_name(kernel).is_some_and(is_same)
}

fn shown(kernel: &str) -> String {
    source_name(kernel).map_or(kernel.to_string(), |name| format!("{kernel} ({name})"))
}

/// Number, sizes and kinds of the arguments, against the kernel's parameters.
fn check_args(kernel: &str, params: &[Param], args: &[Spec], memory: u64) -> Result<()> {
    let counted = |n: usize| if n == 1 { "1 argument".to_string() } else { format!("{n} arguments") };
    if params.len() != args.len() {
        bail!(
            "{kernel} takes {}, {} given:\n{}",
            counted(params.len()),
            if args.len() == 1 { "1 was".to_string() } else { format!("{} were", args.len()) },
            signature(params, args)
        );
    }
    for (number, (param, arg)) in params.iter().zip(args).enumerate() {
        if let Some(why) = misfit(param, arg) {
            bail!("argument {number} of {kernel} does not fit, {arg}: {why}\n{}", signature(params, args));
        }
    }
    let bytes: u64 = args.iter().map(Spec::buffer_bytes).sum();
    ensure!(
        bytes <= memory,
        "the buffers have {} bytes together, and --memory allows {}",
        thousands(bytes as i64),
        thousands(memory as i64)
    );
    Ok(())
}

/// Why `arg` cannot be given for `param`, if so.
fn misfit(param: &Param, arg: &Spec) -> Option<String> {
    let (what, bytes, float) = match arg.value {
        Value::Number(_) => ("it", arg.kind.bytes(), arg.kind.is_float()),
        Value::Buffer(_) => ("the address of a buffer", 8, false),
    };
    if param.bytes > 8 {
        return Some(format!(
            "the parameter is a structure of {} bytes; give its parts by pointer",
            param.bytes
        ));
    }
    if bytes != param.bytes {
        return Some(format!("the parameter has {} bytes, {what} has {bytes}", param.bytes));
    }
    // `.b32` says nothing of what the bits mean.
    let known = param.kind.starts_with(['f', 's', 'u']);
    (known && param.kind.starts_with('f') != float).then(|| {
        let (expected, given) = if float { ("whole number", "float") } else { ("float", "whole number") };
        format!("the parameter is a {expected} (.{}), {what} is a {given}", param.kind)
    })
}

/// The parameters, one per line, beside the arguments that were given.
fn signature(params: &[Param], args: &[Spec]) -> String {
    let mut lines = Vec::new();
    for number in 0..params.len().max(args.len()) {
        let given = args.get(number).map_or("nothing was given".to_string(), |arg| format!("given: {arg}"));
        lines.push(match params.get(number) {
            Some(param) => {
                format!("  {number}  {}, .{} ({}); {given}", param.name, param.kind, takes(param))
            }
            None => format!("  {number}  no parameter; {given}"),
        });
    }
    lines.join("\n")
}

/// `4 bytes: i32 or u32`
fn takes(param: &Param) -> String {
    let fitting = match (param.kind.chars().next(), param.bytes) {
        (Some('f'), 4) => "f32",
        (Some('f'), 8) => "f64",
        (Some('b'), 4) => "i32, u32 or f32",
        (Some('b'), 8) => "i64, u64, f64 or a buffer",
        (_, 1) => "i8 or u8",
        (_, 2) => "i16 or u16",
        (_, 4) => "i32 or u32",
        (_, 8) => "i64, u64 or a buffer",
        (_, bytes) => return format!("{bytes} bytes: a structure, which cannot be given"),
    };
    let bytes = if param.bytes == 1 { "byte" } else { "bytes" };
    format!("{} {bytes}: {fitting}", param.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(kind: &str, bytes: usize) -> Param {
        Param { name: "p".into(), offset: 0, bytes, kind: kind.into() }
    }

    fn fits(kind: &str, bytes: usize, spec: &str) -> bool {
        misfit(&param(kind, bytes), &Spec::parse(spec).unwrap()).is_none()
    }

    #[test]
    fn an_argument_fits_a_parameter_of_its_size_and_kind() {
        for (kind, bytes, right, wrong) in [
            ("u64", 8, "buf:u8:", "f64:1"),
            ("u64", 8, "i64:1", "i32:1"),
            ("u32", 4, "i32:-1", "f32:1"),
            ("u32", 4, "u32:1", "buf:i32:1"),
            ("f32", 4, "f32:1", "i32:1"),
            ("f64", 8, "f64:1", "buf:f64:1"),
            ("u8", 1, "i8:1", "i32:1"),
            ("s16", 2, "u16:1", "u8:1"),
            ("b32", 4, "f32:1", "f64:1"),
            ("b64", 8, "buf:i32:1", "f32:1"),
            ("b8", 8, "u64:1", "u32:1"),
        ] {
            assert!(fits(kind, bytes, right), "{right} for {kind}");
            assert!(!fits(kind, bytes, wrong), "{wrong} for {kind}");
        }
        let why = misfit(&param("b8", 12), &Spec::parse("i64:1").unwrap()).unwrap();
        assert!(why.contains("a structure of 12 bytes"), "{why}");
    }

    #[test]
    fn a_kernel_has_its_name_in_ptx_and_in_the_source() {
        for (kernel, name) in
            [("_Z3sumPKiPi", "sum"), ("_ZN3lab3sumEv", "lab::sum"), ("_Z6reduceILi256EEvPi", "reduce<256>")]
        {
            assert_eq!(source_name(kernel).as_deref(), Some(name));
            assert!(is_named(kernel, name));
        }
        assert!(is_named("_Z6reduceILi256EEvPi", "reduce") && !is_named("_ZN3lab3sumEv", "sum"));
        assert_eq!(readable("in _Z6reduceILi256EEvPi, or _Zero"), "in reduce<256>, or _Zero");
        assert!(is_of_library("_ZN3cub17CUB_300001_SM_7506detail11EmptyKernelIvEEvv"));
        for other in ["sum", "_Z", "_Z9sum", "_Z99999999999999999999999sum"] {
            assert_eq!(source_name(other), None, "{other}");
        }
    }
}
