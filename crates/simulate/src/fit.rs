//! Arguments against the parameters of a kernel.

use anyhow::{Result, bail};
use cuda_source::parameters::Parameter;
use launch::{Spec, Type, Value};
use ptx_simulator::{Format, Param};

/// Number, sizes and kinds of the arguments, against the kernel's parameters, which the source calls as in
/// `named`.
///
/// # Errors
/// Says which argument does not fit, and lists the parameters.
pub fn check(kernel: &str, params: &[Param], named: &[Parameter], args: &[Spec]) -> Result<()> {
    let counted = |n: usize| if n == 1 { "1 argument".to_string() } else { format!("{n} arguments") };
    if params.len() != args.len() {
        bail!(
            "{kernel} takes {}, {} given:\n{}",
            counted(params.len()),
            if args.len() == 1 { "1 was".to_string() } else { format!("{} were", args.len()) },
            signature(params, named, args)
        );
    }
    for (number, (param, arg)) in params.iter().zip(args).enumerate() {
        if let Some(why) = misfit(param, arg) {
            bail!(
                "argument {number} of {kernel} does not fit, {arg}: {why}\n{}",
                signature(params, named, args)
            );
        }
    }
    Ok(())
}

/// Why `arg` cannot be given for `param`, if so.
fn misfit(param: &Param, arg: &Spec) -> Option<String> {
    let (what, bytes) = match arg.value {
        Value::Number(..) | Value::Struct(..) => ("it", arg.bytes()),
        Value::Pointer(_) | Value::Buffer(_) => ("the address of a buffer", arg.bytes()),
    };
    if bytes != param.bytes {
        let hint = if param.bytes > 8 { "; give a structure as struct:TYPE:NUMBER,…" } else { "" };
        return Some(format!("the parameter has {} bytes, {what} has {bytes}{hint}", param.bytes));
    }
    // What is in a structure, its bytes do not say; nor a 16-bit number that is half a float.
    let float = match arg.value {
        Value::Struct(..) | Value::Number(Type::Float(Format::F16 | Format::BF16), _) => return None,
        Value::Number(kind, _) => matches!(kind, Type::Float(_)),
        Value::Pointer(_) | Value::Buffer(_) => false,
    };
    // `.b32` says nothing of what the bits mean.
    let known = param.kind.starts_with(['f', 's', 'u']);
    (known && param.kind.starts_with('f') != float).then(|| {
        let (expected, given) = if float { ("whole number", "float") } else { ("float", "whole number") };
        format!("the parameter is a {expected} (.{}), {what} is a {given}", param.kind)
    })
}

/// The parameters, one per line, beside the arguments that were given.
fn signature(params: &[Param], named: &[Parameter], args: &[Spec]) -> String {
    let mut lines = Vec::new();
    for number in 0..params.len().max(args.len()) {
        let given = args.get(number).map_or("nothing was given".to_string(), |arg| format!("given: {arg}"));
        lines.push(match params.get(number) {
            Some(param) => {
                let name = named.get(number).map_or(&param.name, |parameter| &parameter.name);
                format!("  {number}  {name}, .{} ({}); {given}", param.kind, takes(param))
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
        (_, 2) => "i16, u16, f16 or bf16",
        (_, 4) => "i32 or u32",
        (_, 8) => "i64, u64 or a buffer",
        (_, bytes) => return format!("{bytes} bytes: struct:TYPE:NUMBER,…"),
    };
    let bytes = if param.bytes == 1 { "byte" } else { "bytes" };
    format!("{} {bytes}: {fitting}", param.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use launch::Scope;

    fn param(kind: &str, bytes: usize) -> Param {
        Param { name: "p".into(), offset: 0, bytes, kind: kind.into() }
    }

    fn fits(kind: &str, bytes: usize, spec: &str) -> bool {
        misfit(&param(kind, bytes), &Spec::parse(spec, Scope::default()).unwrap()).is_none()
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
        assert!(fits("b8", 12, "struct:i32:1,2,f32:3") && fits("b8", 3, "struct:u8:1,2,3"));
        assert!(fits("u16", 2, "f16:1.5") && fits("b64", 8, "@0"));
        let why = misfit(&param("b8", 12), &Spec::parse("i64:1", Scope::default()).unwrap()).unwrap();
        assert!(why.contains("has 12 bytes, it has 8; give a structure as struct:"), "{why}");
    }
}
