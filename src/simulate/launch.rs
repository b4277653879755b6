//! The launch: which kernel, whether the arguments fit its parameters, and what came of it.

use std::collections::HashSet;

use anyhow::{Context, Error, Result, bail, ensure};

use super::options::{Checks, Options};
use super::output::Report;
use super::spec::{MAX_BYTES, Spec, Value};
use super::values::Held;
use crate::number::thousands;
use crate::sim::{self, Counters, Launched, Module, Param, Simulator};

/// Runs the kernel that `options` ask for. An error if they do not fit the module.
pub fn launch(module: &Module, options: &Options) -> Result<Report> {
    let file = options.file.display();
    let kernel = kernel(module, options.kernel.as_deref()).with_context(|| format!("{file}"))?;
    let params = module.params(kernel).unwrap_or_default();
    check_args(kernel, params, &options.args).with_context(|| format!("{file}"))?;
    sim::check_config(&options.config()).map_err(Error::msg)?;

    let mut simulator = Simulator::new();
    simulator.set_pending_launch_limit(options.pending_launches);
    simulator.set_sync_depth_limit(options.sync_depth);
    simulator.set_schedule(options.schedule);
    let mut cells = Vec::new();
    let mut buffers = Vec::new();
    for (arg, spec) in options.args.iter().enumerate() {
        cells.push(match &spec.value {
            Value::Number(bits) => *bits,
            Value::Buffer(fill) => {
                let address = simulator.alloc(spec.buffer_bytes()).map_err(refused)?;
                if let Some(bytes) = fill.bytes(spec.kind) {
                    simulator.write(address, &bytes).map_err(refused)?;
                }
                buffers.push((arg, address));
                address
            }
        });
    }
    let launched = match options.checks {
        Checks::On => simulator.launch_checked(module, kernel, options.config(), &cells),
        Checks::Off => unchecked(&mut simulator, module, kernel, options, &cells),
    };
    let held = buffers.into_iter().map(|(arg, address)| {
        let spec = &options.args[arg];
        let mut bytes = vec![0; spec.buffer_bytes() as usize];
        simulator.read(address, &mut bytes).map_err(refused)?;
        let width = spec.kind.bytes();
        let written = |element: &usize| simulator.is_defined(address + (element * width) as u64, width);
        let unwritten = if simulator.is_defined(address, bytes.len()) {
            HashSet::new()
        } else {
            (0..bytes.len() / width).filter(|element| !written(element)).collect()
        };
        Ok(Held { arg, kind: spec.kind, bytes, unwritten })
    });
    let buffers = held.collect::<Result<_>>()?;
    Ok(Report::of(launched, kernel, buffers, simulator.take_printed()))
}

/// A launch without the checks: the first thing that stops it is all that is said.
fn unchecked(
    simulator: &mut Simulator,
    module: &Module,
    kernel: &str,
    options: &Options,
    cells: &[u64],
) -> Launched {
    let mut counters = Counters::default();
    let ended = simulator.launch_counted(module, kernel, options.config(), cells, &mut counters);
    Launched {
        counters,
        completed: ended.is_ok(),
        diagnostics: ended.err().into_iter().map(|d| *d).collect(),
    }
}

#[expect(clippy::boxed_local, reason = "`map_err` hands over what the simulator gives")]
fn refused(diagnostic: Box<sim::Diagnostic>) -> Error {
    Error::new(*diagnostic)
}

/// The kernel called `asked`, as PTX names it or as the source does; without a name the only one.
fn kernel<'m>(module: &'m Module, asked: Option<&str>) -> Result<&'m str> {
    let kernels = module.kernels();
    ensure!(!kernels.is_empty(), "there is no kernel in it: no `.entry` in PTX, no `__global__` in CUDA C++");
    let list = || kernels.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    let named: Vec<&String> = match asked {
        None => kernels.iter().collect(),
        Some(asked) => match kernels.iter().find(|name| *name == asked) {
            Some(exact) => vec![exact],
            None => kernels.iter().filter(|name| source_name(name) == Some(asked)).collect(),
        },
    };
    match (&named[..], asked) {
        ([one], _) => Ok(one),
        ([], Some(asked)) => bail!("no kernel is named {asked}; there are: {}", list()),
        (_, Some(asked)) => bail!("several kernels are named {asked}; give the whole name, of: {}", list()),
        (_, None) => bail!("there are several kernels; give --kernel one of: {}", list()),
    }
}

/// `sum` of `_Z3sumPKiPi`: the name of a kernel that is not `extern "C"`, without its types (Itanium C++ ABI).
fn source_name(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("_Z")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (len, rest) = rest.split_at(digits);
    rest.get(..len.parse().ok()?)
}

fn shown(kernel: &str) -> String {
    source_name(kernel).map_or(kernel.to_string(), |name| format!("{kernel} ({name})"))
}

/// Number, sizes and kinds of the arguments, against the kernel's parameters.
fn check_args(kernel: &str, params: &[Param], args: &[Spec]) -> Result<()> {
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
        bytes <= MAX_BYTES,
        "the buffers have {} bytes together; at most {} are possible",
        thousands(bytes as i64),
        thousands(MAX_BYTES as i64)
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

/// The parameters, one a line, beside the arguments that were given.
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
        assert_eq!(source_name("_Z3sumPKiPi"), Some("sum"));
        assert_eq!(source_name("_Z6reduceILi256EEvPi"), Some("reduce"));
        for other in ["sum", "_Z", "_Z9sum", "_ZN3lab3sumEv", "_Z99999999999999999999999sum"] {
            assert_eq!(source_name(other), None, "{other}");
        }
    }
}
