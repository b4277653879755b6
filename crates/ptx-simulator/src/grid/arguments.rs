//! What a launch asks for: checked against the limits, and its arguments laid out.

use crate::decode::{Param, Program};
use crate::device::{DeviceProperties, LaunchConfig};
use crate::diagnostic::{Diagnostic, Kind};
use crate::exec::PendingLaunch;
use crate::what::What;

/// Checks a launch and lays out its arguments.
pub fn parameters(
    device: &DeviceProperties,
    program: &Program,
    kernel: &str,
    config: &LaunchConfig,
    cluster: Option<[u32; 3]>,
    args: &[u64],
) -> Result<PendingLaunch, Box<Diagnostic>> {
    let wrong = |what: What, help| Box::new(Diagnostic::of_host(Kind::LaunchLimit, Some(kernel), what, help));
    let number =
        program.by_name.get(kernel).copied().filter(|n| program.functions[*n].is_entry).ok_or_else(|| {
            let kernels = program.kernels.join(", ");
            wrong(
                format!("{} has no kernel `{kernel}`; it has: {kernels}", program.name).into(),
                "check the spelling, and that the kernel is extern \"C\"",
            )
        })?;
    let function = &program.functions[number];
    function.check(device, config, cluster, device.max_shared_per_block).map_err(|(limit, message)| {
        wrong(What::Refused(limit, message), "choose another grid or block, or less memory")
    })?;
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
    if args.len() != function.params.iter().map(Param::pieces).sum::<usize>() {
        return Err(wrong(
            format!("{kernel} takes {} arguments, {} were given", function.params.len(), args.len()).into(),
            "pass one argument for each parameter, in their order",
        ));
    }
    let mut params = vec![0u8; function.param_bytes];
    let mut rest = args;
    for param in &function.params {
        let (value, behind) = rest.split_at(param.pieces());
        rest = behind;
        let bytes = value.iter().flat_map(|piece| piece.to_le_bytes());
        for (to, from) in params[param.offset..].iter_mut().zip(bytes.take(param.bytes)) {
            *to = from;
        }
    }
    Ok(PendingLaunch { kernel: number, config: *config, params, ..PendingLaunch::default() })
}
