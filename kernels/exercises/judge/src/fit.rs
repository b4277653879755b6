//! Whether the checker can launch an answer that was compiled: its kernels, their parameters, their memory.

use cuda_source::misfit::{self, Given, Misfit};
use device::Module;
use launch::{Spec, Value};
use text::number::thousands;

use super::plan::Plan;
use super::source::Exercise;

/// Bytes of `__device__` variables that a check has room for, and of a thread's local memory.
const MAX_GLOBAL: usize = 64 << 20;
const MAX_LOCAL: usize = 16 << 10;

/// Why a check has no room for a kernel's variables, if so.
pub fn too_large(module: &Module) -> Option<String> {
    let (global, local) = module.ptx().bytes();
    let number = |bytes: usize| thousands(bytes as i64);
    if global > MAX_GLOBAL {
        return Some(format!(
            "The file declares {} bytes of `__device__` variables. A check has room for {}.",
            number(global),
            number(MAX_GLOBAL)
        ));
    }
    if local > MAX_LOCAL {
        return Some(format!(
            "Every thread has {} bytes of local memory, for arrays of its own. A check has room for {} per \
             thread.",
            number(local),
            number(MAX_LOCAL)
        ));
    }
    None
}

/// Why the plan cannot launch the kernels of `module`, which were made from `text`, if so.
pub fn misfit(module: &Module, exercise: &Exercise, plan: &Plan, text: &str) -> Option<Misfit> {
    for launch in &plan.launches {
        let Some(params) = module.ptx().params(&launch.kernel) else {
            return Some(misfit::missing(text, &launch.kernel, &exercise.stub()));
        };
        let fits = params.iter().map(|param| param.bytes).eq(launch.args.iter().map(|arg| arg.bytes()));
        if !fits {
            let given: Vec<Given> = launch.args.iter().map(given).collect();
            return Some(misfit::other_parameters(text, &launch.kernel, &given, &exercise.stub()));
        }
        let reordered = misfit::reordered(text, &launch.kernel, &exercise.stub());
        if reordered.is_some() {
            return reordered;
        }
    }
    None
}

fn given(argument: &Spec) -> Given {
    match argument.value {
        Value::Pointer(_) | Value::Buffer(_) => Given::Address,
        Value::Number(..) | Value::Struct(..) => Given::Bytes(argument.bytes()),
    }
}
