//! An answer on a GPU: right there too, and its time beside the solution's.

use std::path::Path;

use anyhow::{Context, Result, bail};
use device::{Device, Function};
use kernel_compiler::compiler::{Compiler, HOW_TO_GET_NVCC, Maker};

use super::alone;
use crate::plan::Plan;
use crate::run::{self, Run};
use crate::source::Exercise;
use crate::tried::beside_expected;

/// Runs the learner's file on `device` for the inputs it was checked with, and times it beside the solution:
/// the times, in text; else the first wrong input.
///
/// # Errors
/// There is no nvcc, or it refuses the file; a kernel that goes wrong on the GPU.
pub fn check(
    root: &Path,
    exercise: &Exercise,
    plan: &Plan,
    device: &Device,
) -> Result<Result<String, String>> {
    let Some(nvcc) = Compiler::of(Maker::Nvcc, root)? else {
        bail!("a GPU needs machine code, and no nvcc was found to make it.\n{HOW_TO_GET_NVCC}");
    };
    let yours = load(&nvcc, device, &std::path::absolute(root)?, exercise, plan)?;
    for case in plan.plain_cases() {
        let run = Run::new(device, plan, case)?;
        run.launch(&yours)?;
        let left = run.left()?;
        if !left.agrees {
            return Ok(Err(format!("{case}: on the GPU {}.", beside_expected(plan, &left))));
        }
    }

    let alone = alone(exercise, &exercise.solution())?;
    let reference = load(&nvcc.run_in(alone.path()), device, alone.path(), exercise, plan)?;
    let case = plan.timed().context("the exercise has no inputs")?;
    let run = Run::new(device, plan, case)?;
    let time = |functions: &[Function]| {
        let measured = device.measure(|| run.restore(), || run.launch(functions).map(drop))?;
        measured.time.map(|time| time.to_string()).context("the device has no clock")
    };
    Ok(Ok(format!(
        "On {}, {case}, median [least .. most]:\n  yours     {}\n  solution  {}\n",
        device.info().name,
        time(&yours)?,
        time(&reference)?
    )))
}

/// The kernels of the file of `exercise` below `root`, one per launch of `plan`.
fn load(
    nvcc: &Compiler,
    device: &Device,
    root: &Path,
    exercise: &Exercise,
    plan: &Plan,
) -> Result<Vec<Function>> {
    let source = root.join(&exercise.path);
    let ptx = nvcc.ptx(&source)?;
    let fatbin = nvcc.fatbin(&source)?.code;
    // SAFETY: nvcc has made both of one source. Only an answer that passes comes here: the simulator has seen
    // it stay within the buffers that it's given. For larger sizes its author answers, who asks to have it
    // run on a GPU.
    let module = unsafe { device.load_code(&exercise.path, &ptx.text, &fatbin)? };
    run::functions(&module, plan)
}
