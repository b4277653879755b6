//! What a launch asks for: checked against the limits, and its arguments laid out.

use super::LaunchConfig;
use super::diagnostic::{Diagnostic, Kind};
use super::program::Program;

/// Checks what a launch asks for against what every GPU since compute capability 7.5 can do (CUDA C++ Programming
/// Guide, "Technical Specifications").
pub fn check_config(config: &LaunchConfig) -> Result<(), String> {
    let (gx, gy, gz) = config.grid_dim;
    let (bx, by, bz) = config.block_dim;
    let threads = (bx as u64).saturating_mul(by as u64).saturating_mul(bz as u64);
    if gx == 0 || gy == 0 || gz == 0 {
        return Err(format!("a grid of {gx} x {gy} x {gz} blocks has no block"));
    }
    if gx > i32::MAX as u32 || gy > 65_535 || gz > 65_535 {
        return Err(format!(
            "a grid of {gx} x {gy} x {gz} blocks; at most 2147483647 x 65535 x 65535 are possible"
        ));
    }
    if threads == 0 {
        return Err(format!("a block of {bx} x {by} x {bz} threads has no thread"));
    }
    if bx > 1024 || by > 1024 || bz > 64 || threads > 1024 {
        return Err(format!("a block of {bx} x {by} x {bz} threads; at most 1024 are possible (64 in z)"));
    }
    Ok(())
}

/// Checks a launch and lays out its arguments.
pub fn parameters(
    program: &Program,
    kernel: &str,
    config: &LaunchConfig,
    args: &[u64],
) -> Result<(usize, Vec<u8>), Box<Diagnostic>> {
    let wrong = |kind: Kind, message: String, help: &str| {
        Box::new(Diagnostic::of_host(kind, Some(kernel), message, help))
    };
    let number =
        program.by_name.get(kernel).copied().filter(|n| program.functions[*n].is_entry).ok_or_else(|| {
            wrong(
                Kind::LaunchLimit,
                format!("{} has no kernel `{kernel}`; it has: {}", program.name, program.kernels.join(", ")),
                "check the spelling, and that the kernel is extern \"C\"",
            )
        })?;
    check_config(config)
        .map_err(|message| wrong(Kind::LaunchLimit, message, "choose another grid or block"))?;
    let function = &program.functions[number];
    let shared = function.shared_bytes + config.shared_mem_bytes as usize;
    if shared > super::MAX_SHARED {
        return Err(wrong(
            Kind::LaunchLimit,
            format!("{shared} bytes of shared memory a block; at most {} are possible", super::MAX_SHARED),
            "use less shared memory or smaller blocks",
        ));
    }
    let mut reached = vec![false; program.functions.len()];
    let mut stack = vec![number];
    while let Some(next) = stack.pop() {
        if std::mem::replace(&mut reached[next], true) {
            continue;
        }
        if let Some(diagnostic) = &program.functions[next].unsupported {
            return Err(Box::new(diagnostic.clone()));
        }
        stack.extend(&program.functions[next].calls);
    }
    if args.len() != function.params.len() {
        return Err(wrong(
            Kind::LaunchLimit,
            format!("{kernel} takes {} arguments, {} were given", function.params.len(), args.len()),
            "pass one argument for each parameter, in their order",
        ));
    }
    let mut params = vec![0u8; function.param_bytes];
    for (param, value) in function.params.iter().zip(args) {
        if param.bytes > 8 {
            return Err(wrong(
                Kind::LaunchLimit,
                format!(
                    "parameter {} of {kernel} has {} bytes; structures by value are not supported",
                    param.name, param.bytes
                ),
                "pass a pointer instead",
            ));
        }
        params[param.offset..param.offset + param.bytes].copy_from_slice(&value.to_le_bytes()[..param.bytes]);
    }
    Ok((number, params))
}
