//! Carries out a plan for one input: buffers, launches, result. On the simulator, under all checks.

use std::collections::HashMap;

use super::plan::{Arg, Case, Place, Plan};
use crate::reduction::data;
use crate::sim::observe::{Access, Act, Event, Observer};
use crate::sim::{Counters, Diagnostic, LaunchConfig, Module, Simulator, Space};

/// Seeds of the two inputs, in the plain order of turns. In a shuffled one the numbers are others, too.
pub const SEEDS: [u64; 2] = [1, 2];

/// What came of one input.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The result; `None` if the kernel has not written all of it, or was stopped.
    pub result: Option<i32>,
    pub diagnostics: Vec<Diagnostic>,
    pub counters: Counters,
    pub completed: bool,
    /// The first element of `input` or `other` that has been changed.
    pub changed: Option<usize>,
    /// File and line of the last store to the place of the result.
    pub written_at: Option<(String, u32)>,
    /// What device `printf` wrote.
    pub printed: String,
}

/// Both inputs of `case`.
pub fn inputs(case: Case) -> [Vec<i32>; 2] {
    SEEDS.map(|seed| data::numbers(case.n, seed + 2 * case.schedule))
}

/// Runs `plan` with the kernels of `module`, whose parameters fit. The error is a buffer that has no room.
pub fn simulate(module: &Module, plan: &Plan, case: Case) -> Result<Outcome, Box<Diagnostic>> {
    let mut simulator = Simulator::new();
    simulator.set_schedule(case.schedule);
    simulator.set_step_limit(step_limit(plan, case));
    let inputs = inputs(case);
    let mut buffers = HashMap::new();
    let blocks = plan.launches.first().map_or(1, |launch| launch.grid.blocks(case));
    for arg in plan.launches.iter().flat_map(|launch| &launch.args) {
        if arg.bytes() == 8 && !buffers.contains_key(arg) {
            buffers.insert(*arg, Buffer::new(&mut simulator, *arg, &inputs, blocks)?);
        }
    }
    let place = match plan.result {
        Place::Out => Arg::Out,
        Place::Total => Arg::Total,
        Place::Partials => Arg::Partials,
    };
    // An exercise that asks for a line may have no result.
    let result = buffers.get(&place).copied();

    let mut outcome = Outcome { completed: true, ..Outcome::default() };
    let mut watch = (Counters::default(), LastStore { buffer: result, loc: None });
    for launch in &plan.launches {
        let args: Vec<u64> = launch.args.iter().map(|arg| cell(*arg, &buffers, case, blocks)).collect();
        let config = LaunchConfig::new(launch.grid.blocks(case), case.block);
        let found = &mut outcome.diagnostics;
        let ended = simulator.launch_watched(module, &launch.kernel, config, &args, &mut watch, found);
        if ended.is_err() {
            outcome.completed = false;
            break;
        }
    }
    outcome.printed = simulator.take_printed();
    outcome.counters = watch.0;
    outcome.written_at =
        watch.1.loc.and_then(|loc| module.source_line(loc)).map(|(file, line)| (file.to_string(), line));
    if let Some(result) = result
        && outcome.completed
        && simulator.is_defined(result.address, 4 * result.len)
    {
        let values = result.read(&simulator)?;
        let first = values.first().copied();
        outcome.result = if place == Arg::Partials { Some(plan.op.combined(&values)) } else { first };
    }
    for (arg, before) in [Arg::Input, Arg::Other].iter().zip(&inputs) {
        if let Some(buffer) = buffers.get(arg) {
            let after = buffer.read(&simulator)?;
            let changed = after.iter().zip(before).position(|(after, before)| after != before);
            outcome.changed = outcome.changed.or(changed);
        }
    }
    Ok(outcome)
}

/// The value of an argument: an address, or a number.
fn cell(arg: Arg, buffers: &HashMap<Arg, Buffer>, case: Case, blocks: u32) -> u64 {
    match arg {
        Arg::N => case.n as u64,
        Arg::Blocks => blocks.into(),
        _ => buffers.get(&arg).map_or(0, |buffer| buffer.address),
    }
}

/// Instructions of warps after which a launch is taken for an endless loop: far more than any solution needs, and
/// a fraction of a second.
fn step_limit(plan: &Plan, case: Case) -> u64 {
    let warps = |blocks: u32| u64::from(blocks) * u64::from(case.block.div_ceil(32));
    let most = plan.launches.iter().map(|launch| warps(launch.grid.blocks(case))).max().unwrap_or(0);
    (1 << 21) + 4096 * most
}

/// `len` 32-bit numbers in simulated memory.
#[derive(Clone, Copy)]
struct Buffer {
    address: u64,
    len: usize,
}

impl Buffer {
    fn new(
        simulator: &mut Simulator,
        arg: Arg,
        inputs: &[Vec<i32>; 2],
        blocks: u32,
    ) -> Result<Buffer, Box<Diagnostic>> {
        let contents: &[i32] = match arg {
            Arg::Input | Arg::Data => &inputs[0],
            Arg::Other => &inputs[1],
            Arg::Total | Arg::Ticket => &[0],
            Arg::Partials | Arg::Out | Arg::N | Arg::Blocks => &[],
        };
        let len = match arg {
            Arg::Partials => blocks as usize,
            Arg::Out => 1,
            _ => contents.len(),
        };
        let address = simulator.alloc(4 * len as u64)?;
        if !contents.is_empty() {
            simulator.write(address, bytemuck::cast_slice(contents))?;
        }
        Ok(Buffer { address, len })
    }

    fn read(self, simulator: &Simulator) -> Result<Vec<i32>, Box<Diagnostic>> {
        let mut values = vec![0; self.len];
        simulator.read(self.address, bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }
}

/// Listens for the last store to a buffer.
struct LastStore {
    buffer: Option<Buffer>,
    loc: Option<u32>,
}

impl Observer for LastStore {
    fn event(&mut self, event: &Event) {
        let Event::By(actor, Act::Access(request)) = event else { return };
        let Some(Buffer { address, len }) = self.buffer else { return };
        if request.space != Space::Global || request.access == Access::Load {
            return;
        }
        let end = address + 4 * len as u64;
        let within = |lane: usize| (address..end).contains(&request.addresses[lane]);
        if (0..32).any(|lane| request.mask >> lane & 1 == 1 && within(lane)) {
            self.loc = Some(actor.loc);
        }
    }
}
