//! One input of an exercise on a device: buffers, launches, result; and what the simulator says of it.

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::{Context, Result};
use device::{Buffer, Device, Function, LaunchOrder, Module, SimulatorOptions};
use effort::{Effort, Watcher};
use launch::Stage;
use ptx_simulator::{Budget, Counters, Diagnostic, Kind, Orders, Severity};

use super::case::Case;
use super::goal;
use super::op::Op;
use super::plan::{PARTIALS, Plan, SHORT};
use super::source::Exercise;

/// The kernels of `plan`, one per launch.
///
/// # Errors
/// `module` lacks one of them.
pub fn functions(module: &Module, plan: &Plan) -> Result<Vec<Function>> {
    plan.launches.iter().map(|launch| module.load_function(&launch.kernel)).collect()
}

/// The kernels of an answer, for every simulator.
pub fn load(exercise: &Exercise, ptx: &str) -> Result<Module> {
    Module::of_ptx(&exercise.path, ptx)
}

/// Buffers for one input.
pub struct Run<'a> {
    plan: &'a Plan,
    case: Case,
    input: Vec<i32>,
    stage: Stage<'a>,
}

/// What a run has left where its result goes, beside what should be there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Left {
    /// Where there is a number for each number: the place of the first that is wrong, else of the last.
    pub place: Option<usize>,
    /// `None` if nothing was written there, or the kernels were stopped.
    pub result: Option<i32>,
    pub expected: i32,
    /// Whether it is right, as are all before it.
    pub agrees: bool,
}

impl<'a> Run<'a> {
    pub fn new(device: &'a Device, plan: &'a Plan, case: Case) -> Result<Run<'a>> {
        Run::of(device, plan, case, plan.input(case))
    }

    /// A run with another input than usual, as long as `case` says.
    pub fn of(device: &'a Device, plan: &'a Plan, case: Case, input: Vec<i32>) -> Result<Run<'a>> {
        let run = Run { plan, case, input, stage: Stage::new(device, plan.script(case)?)? };
        run.give("input")?;
        run.give("data")?;
        Ok(run)
    }

    /// Puts back what a launch may have changed.
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "only a GPU launches twice"))]
    pub fn restore(&self) -> Result<()> {
        self.stage.fill()?;
        self.give("data")
    }

    /// Writes the numbers to a buffer, if there is one of that name; nobody writes to where results go.
    fn give(&self, name: &str) -> Result<()> {
        if self.stage.buffer(name).is_err() { Ok(()) } else { self.stage.give(name, &self.input) }
    }

    /// Launches `functions`, one after the other; whether all ran to their ends.
    pub fn launch(&self, functions: &[Function]) -> Result<bool> {
        for (launch, function) in self.stage.script.launches().zip(functions) {
            if !self.stage.launch(launch, function)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The numbers in a buffer; `None` if there is no such buffer, or not all of it has been written.
    fn numbers(&self, name: &str) -> Result<Option<Vec<i32>>> {
        if self.stage.buffer(name).is_err() { Ok(None) } else { self.stage.elements(name) }
    }

    /// The result; `None` if there is none, since an exercise that asks for a line may have none, or the
    /// kernels have not written all of it.
    pub fn result(&self) -> Result<Option<i32>> {
        let name = &*self.plan.result;
        Ok(self.numbers(name)?.and_then(|values| match name {
            PARTIALS => Some(self.plan.op.combined(&values)),
            _ => values.first().copied(),
        }))
    }

    /// What it should be, by the serial recursion.
    pub fn expected(&self) -> i32 {
        self.plan.op.expected(&self.input)
    }

    /// Whether `result` is right.
    pub fn agrees(&self, result: i32) -> bool {
        self.plan.op.agrees(result, self.expected(), &self.input)
    }

    /// What it has left.
    pub fn left(&self) -> Result<Left> {
        let Op::Each(each) = self.plan.op else {
            let result = self.result()?;
            let agrees = result.is_some_and(|result| self.agrees(result));
            return Ok(Left { place: None, result, expected: self.expected(), agrees });
        };
        let expected = each.expected(&self.input, self.case);
        let left = self.stage.written(&self.plan.result)?;
        let wrong = left.iter().zip(&expected).position(|(left, expected)| *left != Some(*expected));
        let place = wrong.or(expected.len().checked_sub(1));
        let Some(at) = place else { return Ok(Left { result: Some(0), agrees: true, ..Left::default() }) };
        Ok(Left { place, result: left[at], expected: expected[at], agrees: wrong.is_none() })
    }

    /// The first element of `input` that has been changed.
    fn changed(&self) -> Result<Option<usize>> {
        let after = self.numbers("input")?.unwrap_or_default();
        Ok(after.iter().zip(&self.input).position(|(after, before)| after != before))
    }
}

/// What the simulator says of one input.
#[derive(Debug, Default)]
pub struct Outcome {
    pub left: Left,
    pub diagnostics: Vec<Diagnostic>,
    pub counters: Counters,
    pub completed: bool,
    /// The first element of `input` that has been changed.
    pub changed: Option<usize>,
    /// File and line of the last store to the place of the result.
    pub written_at: Option<(String, u32)>,
    /// How the work was shared out.
    pub effort: Effort,
    /// How many threads had gone with writes of their own when a barrier opened, and the line of that
    /// barrier.
    pub gone: Option<(u32, u32)>,
    /// The same for threads that had gone at all.
    pub exited: Option<(u32, u32)>,
    /// The block that reads a word again and again until another block has changed it; file and line.
    pub waits: Option<(u64, Option<(String, u32)>)>,
    /// A read of what another block has left, without fences: the two blocks, and the lines of the write and
    /// of the read.
    pub unfenced: Option<Unfenced>,
    /// Another result, which another order of the atomic operations gives; the first one that is wrong, if
    /// one is.
    pub other: Option<i32>,
    /// What device `printf` wrote.
    pub printed: String,
}

/// A block that reads what another one has left, and the lines.
#[derive(Clone, Copy, Debug)]
pub struct Unfenced {
    pub reader: u64,
    pub writer: u64,
    pub read: u32,
    pub written: u32,
}

impl Outcome {
    /// Whether the result is right, and nothing was found wrong.
    pub fn is_right(&self) -> bool {
        self.left.agrees
            && self.changed.is_none()
            && self.diagnostics.iter().all(|found| found.severity == Severity::Note)
    }

    /// What is counted as `field`: a counter, or one of [`Effort`].
    pub fn count(&self, field: &str) -> Option<u64> {
        match field {
            goal::BLOCK_NUMBERS => Some(self.effort.block_numbers),
            goal::GLOBAL_ATOMICS => Some(self.effort.global_atomics),
            _ => goal::counter(&self.counters, field),
        }
    }
}

/// Runs `plan` with the kernels of `module` on the simulator, under all checks.
///
/// # Errors
/// The kernels or their parameters do not fit.
pub fn simulate(module: &Module, plan: &Plan, case: Case) -> Result<Outcome> {
    let device = device(plan, case, true);
    let in_every_order = case.schedule == 0 && case.n <= FEW;
    let simulator = device.simulated().context("an exercise runs on the simulator")?;
    simulator.try_orders(in_every_order.then(|| Budget { work: WORK, ..Budget::default() }));
    let run = Run::new(&device, plan, case)?;
    let place = run.stage.buffer(&plan.result).map_or(0..0, Buffer::addresses);
    let watcher = Rc::new(RefCell::new(Watcher::new(place, plan.op.rounds())));
    simulator.observe(watcher.clone());
    let completed = run.launch(&functions(module, plan)?)?;
    let seen = device.take_seen();
    let plain = if completed { run.left()? } else { Left { expected: run.expected(), ..Left::default() } };
    let other = other_result(module, plan, case, (&plain, &seen.orders))?;
    let effort = watcher.borrow_mut().take();
    let written_at = effort.last_store.and_then(|loc| module.ptx().source_line(loc));
    let line = |loc| module.ptx().source_line(loc).map_or(0, |(_, line)| line);
    let gone = effort.left.map(|(threads, loc)| (threads, line(loc)));
    let exited = effort.exited.map(|(threads, loc)| (threads, line(loc)));
    let unfenced = effort.unfenced.map(|found| Unfenced {
        reader: found.reader,
        writer: found.writer,
        read: line(found.loc),
        written: line(found.written),
    });
    let waits = effort.wait.map(|wait| (wait.block, module.ptx().source_line(wait.loc)));
    let waits = waits.map(|(block, at)| (block, at.map(|(file, line)| (file.to_string(), line))));
    // One wrong order is enough.
    let wrong = other.filter(|other| !other.agrees);
    // What is left of the order in other places is no concern of the task.
    let mut diagnostics = seen.found;
    diagnostics.retain(|found| found.kind != Kind::OrderDependent || wrong.is_some());
    Ok(Outcome {
        left: wrong.unwrap_or(plain),
        gone,
        other: other.and_then(|other| other.result),
        exited,
        waits,
        unfenced,
        diagnostics,
        counters: seen.counters.context("the simulator counts")?,
        completed,
        changed: run.changed()?,
        written_at: written_at.map(|(file, line)| (file.to_string(), line)),
        effort,
        printed: device.take_printed(),
    })
}

/// Numbers of an input that is tried in every order, and the work that this may take for one launch.
const FEW: usize = 40;
const WORK: u64 = 100_000;

/// What other orders make of the result, where some of the bytes that a launch leaves depend on its order.
fn other_result(
    module: &Module,
    plan: &Plan,
    case: Case,
    (plain, orders): (&Left, &[Orders]),
) -> Result<Option<Left>> {
    let mut other = None;
    for (launch, orders) in orders.iter().enumerate() {
        for order in &orders.others {
            let order = LaunchOrder { launch, order: order.clone() };
            let device = device_in(plan, case, Some(order));
            let run = Run::new(&device, plan, case)?;
            if !run.launch(&functions(module, plan)?)? {
                continue;
            }
            let left = run.left()?;
            if left.result.is_none() || left == *plain {
                continue;
            }
            other = Some(left);
            if !left.agrees {
                return Ok(other);
            }
        }
    }
    Ok(other)
}

/// A result that is wrong only because of what an earlier launch has left.
pub struct LeftOver {
    pub case: Case,
    pub left: Left,
}

/// Runs `plan` for short inputs, one after the other on one device, as a program does that calls the kernels
/// more than once: the first that is not right. The variables of `module` keep what they hold.
///
/// # Errors
/// As [`simulate`].
pub fn in_a_row(module: &Module, plan: &Plan) -> Result<Option<LeftOver>> {
    let cases: Vec<Case> = plan.plain_cases().into_iter().filter(|case| case.n <= SHORT).collect();
    let Some(longest) = cases.last() else { return Ok(None) };
    let device = device(plan, *longest, false);
    let functions = functions(module, plan)?;
    for case in cases {
        let run = Run::new(&device, plan, case)?;
        let is_complete = run.launch(&functions)?;
        let left =
            if is_complete { run.left()? } else { Left { expected: run.expected(), ..Left::default() } };
        if !left.agrees {
            return Ok(Some(LeftOver { case, left }));
        }
    }
    Ok(None)
}

/// The result of `plan` for another input than that of `case`, as long as it; unchecked. `None` if there is
/// none.
pub fn result_for(module: &Module, plan: &Plan, case: Case, input: Vec<i32>) -> Option<i32> {
    let device = device(plan, case, false);
    let run = Run::of(&device, plan, case, input).ok()?;
    let completed = run.launch(&functions(module, plan).ok()?).ok()?;
    if completed { run.result().ok()? } else { None }
}

/// A simulator for `plan`, under all checks, whose launches go in `order` if there is one.
pub fn device_in(plan: &Plan, case: Case, order: Option<LaunchOrder>) -> Device {
    Device::simulator(SimulatorOptions { order, ..options(plan, case, true) })
}

/// A simulator for `plan`.
pub fn device(plan: &Plan, case: Case, checks: bool) -> Device {
    Device::simulator(options(plan, case, checks))
}

fn options(plan: &Plan, case: Case, checks: bool) -> SimulatorOptions {
    let step_limit = Some(step_limit(plan, case));
    let schedule = case.schedule;
    SimulatorOptions { schedule, checks, step_limit, keep_printed: true, ..Default::default() }
}

/// Instructions of warps after which a launch is taken for an endless loop: far more than any solution needs,
/// enough for one thread that does all the work, and a fraction of a second.
fn step_limit(plan: &Plan, case: Case) -> u64 {
    let warps = |blocks: u32| u64::from(blocks) * u64::from(case.block.div_ceil(32));
    let most = plan.launches.iter().map(|launch| warps(launch.blocks(case))).max().unwrap_or(0);
    (1 << 19) + 32 * case.n as u64 + 4096 * most
}

#[cfg(test)]
mod tests {

    use super::super::source::Kind;
    use super::super::{catalogue, code};
    use super::*;
    use device::DeviceChoice;
    use kernel_compiler::hash::source_hash;

    #[test]
    fn all_orders_of_turns_get_the_same_numbers_and_other_blocks_others() {
        let plan = Plan::of_launch("sum<<<1, block>>> @input @out u32:n");
        let at = |block, schedule| plan.input(Case { n: 100, block, schedule });
        assert_eq!(at(32, 0), at(32, 1));
        assert_eq!(at(32, 0), at(32, 2));
        assert_ne!(at(32, 0), at(96, 0));
    }

    /// As a GPU does it when it measures: the same buffers, launched again.
    #[test]
    fn every_solution_is_right_when_it_is_launched_again() {
        let root = kernel_compiler::root().unwrap();
        for exercise in catalogue::read(root).unwrap() {
            let Kind::Kernel(plan) = &exercise.kind else { continue };
            let hash = source_hash(&exercise.solution());
            let ptx = code::committed(root, &exercise, &hash).unwrap().expect("the committed build");
            let device = Device::open(DeviceChoice::Sim).unwrap();
            let functions = functions(&Module::of_ptx(&exercise.path, &ptx).unwrap(), plan).unwrap();
            for case in plan.plain_cases().into_iter().filter(|case| case.n <= 1025) {
                let run = Run::new(&device, plan, case).unwrap();
                for _ in 0..2 {
                    run.restore().unwrap();
                    run.launch(&functions).unwrap();
                    let left = run.left().unwrap();
                    assert!(left.agrees, "{}: {case}: {left:?}", exercise.id);
                }
            }
        }
    }
}
