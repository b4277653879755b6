//! An answer on a GPU: right there too, and its time beside the solution's.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::code::{Scratch, nvcc_root};
use super::host;
use super::plan::{Arg, Case, Place, Plan};
use super::source::Exercise;
use crate::build::nvcc::{HOW_TO_GET_NVCC, Nvcc};
use crate::device::{Buffer, Device, Function, LaunchConfig};
use crate::number::thousands;

/// What a GPU says of an answer.
pub enum Report {
    /// Right: the times, in text.
    Right(String),
    /// The first wrong input.
    Wrong(String),
}

/// Runs the learner's file on `device` for the inputs it was checked with, and times it beside the solution.
pub fn check(root: &Path, exercise: &Exercise, plan: &Plan, device: &Device) -> Result<Report> {
    let Some(nvcc) = Nvcc::find(root)? else {
        bail!("a GPU needs machine code, and no nvcc was found to make it.\n{HOW_TO_GET_NVCC}");
    };
    let yours = load(&nvcc, device, &nvcc_root(root)?, exercise)?;
    for case in plan.cases().into_iter().filter(|case| case.schedule == 0) {
        let [input, other] = host::inputs(case);
        let expected = plan.op.expected(&input, &other);
        let run = Run::new(device, plan, case)?;
        run.restore()?;
        run.launch(&yours)?;
        let result = run.result()?;
        if result != expected {
            return Ok(Report::Wrong(format!(
                "{case}: on the GPU the {} is {}, and the serial recursion gives {}.",
                plan.op.noun(),
                thousands(result.into()),
                thousands(expected.into())
            )));
        }
    }

    let solution = Scratch::new()?;
    let path = solution.0.join(&exercise.path);
    std::fs::create_dir_all(path.parent().unwrap_or(&solution.0))?;
    std::fs::write(&path, exercise.solution())?;
    let reference = load(&nvcc.run_in(&solution.0), device, &solution.0, exercise)?;
    let case = plan.timed().context("the exercise has no inputs")?;
    let run = Run::new(device, plan, case)?;
    let time = |functions: &HashMap<String, Function>| {
        let measured = device.measure(|| run.restore(), || run.launch(functions))?;
        measured.time.context("the device has no clock")
    };
    let (yours, reference) = (time(&yours)?, time(&reference)?);
    Ok(Report::Right(format!(
        "On {}, {case}, median [least .. most]:\n  yours     {}\n  solution  {}\n",
        device.info().name,
        yours,
        reference
    )))
}

/// The kernels of the file of `exercise` below `root`, by name.
fn load(nvcc: &Nvcc, device: &Device, root: &Path, exercise: &Exercise) -> Result<HashMap<String, Function>> {
    let scratch = Scratch::new()?;
    let source = root.join(&exercise.path);
    let ptx = nvcc.ptx(&source, &scratch.0)?;
    let module = device.load_code(&exercise.path, &ptx.text, &nvcc.fatbin(&source, &scratch.0)?)?;
    let super::source::Kind::Kernel(plan) = &exercise.kind else { return Ok(HashMap::new()) };
    let names = plan.kernels().into_iter();
    names.map(|name| Ok((name.to_string(), module.load_function(name)?))).collect()
}

/// Buffers for one input.
struct Run<'a> {
    device: &'a Device,
    plan: &'a Plan,
    case: Case,
    inputs: [Vec<i32>; 2],
    blocks: u32,
    buffers: HashMap<Arg, Buffer<i32>>,
}

impl<'a> Run<'a> {
    fn new(device: &'a Device, plan: &'a Plan, case: Case) -> Result<Run<'a>> {
        let inputs = host::inputs(case);
        let blocks = plan.launches.first().map_or(1, |launch| launch.grid.blocks(case));
        let mut buffers = HashMap::new();
        for arg in plan.launches.iter().flat_map(|launch| &launch.args).filter(|arg| arg.bytes() == 8) {
            let len = match arg {
                Arg::Partials => blocks as usize,
                Arg::Input | Arg::Other | Arg::Data => case.n,
                _ => 1,
            };
            buffers.insert(*arg, device.alloc_zeros(len)?);
        }
        let run = Run { device, plan, case, inputs, blocks, buffers };
        for (arg, contents) in [Arg::Input, Arg::Other].iter().zip(&run.inputs) {
            if let Some(buffer) = run.buffers.get(arg) {
                device.memcpy_htod(contents, buffer)?;
            }
        }
        Ok(run)
    }

    /// Puts back what a launch may change.
    fn restore(&self) -> Result<()> {
        for (arg, buffer) in &self.buffers {
            match arg {
                Arg::Data => self.device.memcpy_htod(&self.inputs[0], buffer)?,
                Arg::Input | Arg::Other => {}
                _ => self.device.memset_zeros(buffer)?,
            }
        }
        Ok(())
    }

    fn launch(&self, functions: &HashMap<String, Function>) -> Result<()> {
        for launch in &self.plan.launches {
            let function = functions.get(&launch.kernel).context("a kernel is missing")?;
            let mut builder = self.device.launch_builder(function);
            for arg in &launch.args {
                match (arg, self.buffers.get(arg)) {
                    (Arg::Blocks, _) => builder.arg(&self.blocks),
                    (_, Some(buffer)) => builder.arg(buffer),
                    _ => builder.arg(&(self.case.n as u32)),
                };
            }
            builder.launch(LaunchConfig::new(launch.grid.blocks(self.case), self.case.block))?;
        }
        Ok(())
    }

    fn result(&self) -> Result<i32> {
        let place = match self.plan.result {
            Place::Partials => Arg::Partials,
            Place::Out => Arg::Out,
            Place::Total => Arg::Total,
        };
        let values = self.device.clone_dtoh(self.buffers.get(&place).context("the plan has no result")?)?;
        Ok(if place == Arg::Partials {
            self.plan.op.combined(&values)
        } else {
            values.first().copied().unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::Kind;
    use super::super::{catalogue, code};
    use super::*;
    use crate::build::prebuilt::source_hash;
    use crate::device::DeviceChoice;

    /// All but the clock: the simulator stands in for the GPU.
    #[test]
    fn every_solution_runs_through_the_device() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for exercise in catalogue::read(root).unwrap() {
            let Kind::Kernel(plan) = &exercise.kind else { continue };
            let hash = source_hash(&exercise.solution());
            let ptx = code::committed(root, &exercise, &hash).unwrap().expect("the committed build");
            let device = Device::open(DeviceChoice::Sim).unwrap();
            let module = device.load_code(&exercise.path, &ptx, &[]).unwrap();
            let functions = plan.kernels().into_iter();
            let functions =
                functions.map(|name| (name.to_string(), module.load_function(name).unwrap())).collect();
            for case in plan.cases().into_iter().filter(|case| case.schedule == 0 && case.n <= 1025) {
                let [input, other] = host::inputs(case);
                let run = Run::new(&device, plan, case).unwrap();
                for _ in 0..2 {
                    run.restore().unwrap();
                    run.launch(&functions).unwrap();
                    assert_eq!(
                        run.result().unwrap(),
                        plan.op.expected(&input, &other),
                        "{}: {case}",
                        exercise.id
                    );
                }
            }
        }
    }
}
