//! Whether a warp runs in a cycle while no memory that threads share changes: then it does so for
//! ever, unless somebody else changes something.
//!
//! The warp is followed step by step. When it stands where it stood before, what decides its way is looked
//! up in the instructions that it has executed in between: all that a branch, an address, a store or a
//! barrier takes is computed from (a slice, whatever the order of the instructions). If that is the same as
//! before, the warp will take the same way again, and come back here again; whatever else its registers and
//! its local memory hold, such as a count of its tries, plays no part. Values that are computed from a clock
//! are left out once nothing has changed for long ([`PATIENCE`]): a wait that looks at a clock is still a
//! wait.

use rustc_hash::FxHashSet;

use super::activation::Activation;
use super::split::{Split, Wait};
use super::still::{Cycle, Followed, Location, Slice, Steps, Still};
use super::warp::Warp;
use crate::arith::Lanes;
use crate::decode::{Inst, Op, Program, Role};
use crate::ptx::Space;

/// Instructions without a change after which a clock that only goes on counts as one that goes on for ever:
/// many times what kernels are made to wait by it.
const PATIENCE: u64 = 1 << 24;
/// Steps after which the place to come back to is chosen anew for the first time; then after twice as many,
/// and so on, so that a cycle of any length is found, and what comes before it is left behind (R. Brent, "An
/// improved Monte Carlo factorization algorithm", BIT 20, 1980).
const FIRST: u32 = 16;

/// Adds those that may come next: at which the warp stands and, where lanes wait, the one behind, since they
/// go on and execute it in one step.
pub fn add_steps(steps: &mut Steps, warp: &Warp) {
    for split in &warp.splits {
        let function = warp.activations[split.activation as usize].function;
        steps.insert((function, split.pc));
        if split.wait != Wait::Nothing {
            steps.insert((function, split.pc + 1));
        }
    }
}

/// The instructions, with their functions.
fn instructions<'p>(steps: &Steps, program: &'p Program) -> impl Iterator<Item = ((usize, u32), &'p Inst)> {
    steps.iter().filter_map(|&(function, pc)| {
        let inst = program.functions[function].code.get(pc as usize)?;
        Some(((function, pc), inst))
    })
}

impl Still {
    pub fn of(warp: &Warp) -> Still {
        let activation = |one: &Activation| {
            let (registers, predicates) = one.values();
            (one.function, registers.to_vec(), predicates.to_vec())
        };
        Still {
            splits: warp.splits.clone(),
            joins: warp.joins.clone(),
            activations: warp.activations.iter().map(activation).collect(),
            local: warp.local.clone(),
        }
    }

    /// Whether the warp stands at the same place again. `waits_alike` tells of two waits whether they are the
    /// same.
    pub fn is_place_of(&self, warp: &Warp, waits_alike: impl Fn(Wait, Wait) -> bool) -> bool {
        let same = |(before, now): (&Split, &Split)| {
            waits_alike(before.wait, now.wait) && *before == Split { wait: before.wait, ..*now }
        };
        self.joins == warp.joins
            && self.splits.len() == warp.splits.len()
            && self.splits.iter().zip(&warp.splits).all(same)
    }

    /// Whether what is in the slice is the same. `still`: how long nothing has ended a wait that looks at a
    /// clock, in instructions.
    pub fn agrees(&self, warp: &Warp, slice: &Slice, still: u64) -> bool {
        let timeless = still >= PATIENCE;
        (timeless || slice.timed.is_empty()) && self.agrees_but_for_time(warp, slice, timeless)
    }

    /// The same; `timeless`: but for what is computed from a clock.
    fn agrees_but_for_time(&self, warp: &Warp, slice: &Slice, timeless: bool) -> bool {
        let counts =
            |place: &Location| slice.decides.contains(place) && !(timeless && slice.timed.contains(place));
        let same = |(before, now): (&(usize, Vec<Lanes>, Vec<u32>), &Activation)| {
            let (function, registers, predicates) = before;
            let (now_registers, now_predicates) = now.values();
            *function == now.function
                && differing(registers, now_registers)
                    .all(|number| !counts(&Location::Register(*function, number)))
                && differing(predicates, now_predicates)
                    .all(|number| !counts(&Location::Predicate(*function, number)))
        };
        self.activations.len() == warp.activations.len()
            && self.activations.iter().zip(&warp.activations).all(same)
            && (!counts(&Location::Local) || self.local == warp.local)
    }
}

/// The numbers at which two lists differ.
fn differing<T: PartialEq>(a: &[T], b: &[T]) -> impl Iterator<Item = u32> {
    (0..).zip(a.iter().zip(b)).filter(|(_, (a, b))| a != b).map(|(number, _)| number)
}

/// What an instruction does with the values that it is given.
struct Flow {
    /// Taken by the way itself.
    decides: Vec<Location>,
    from: Vec<Location>,
    to: Vec<Location>,
    is_clock: bool,
    is_branch: bool,
}

impl Flow {
    fn of(function: usize, inst: &Inst) -> Flow {
        let mut flow =
            Flow { decides: Vec::new(), from: Vec::new(), to: Vec::new(), is_clock: false, is_branch: false };
        flow.is_clock = matches!(inst.op, Op::Clock { .. });
        flow.is_branch = matches!(
            inst.op,
            Op::Branch { .. } | Op::BranchIndexed { .. } | Op::Call { .. } | Op::Return {} | Op::Exit {}
        );
        let is_pure = is_pure(&inst.op);
        let mask = inst.op.members();
        let is_load = matches!(inst.op, Op::Load { .. });
        let is_own_store = matches!(inst.op, Op::Store { space: Space::Local | Space::Param, .. });
        inst.op.operands(|role, number| {
            let register = Location::Register(function, number);
            let predicate = Location::Predicate(function, number);
            match role {
                Role::Writes => flow.to.push(register),
                Role::WritesPredicate => flow.to.push(predicate),
                Role::Addresses if !matches!(inst.op, Op::AddressOf { .. }) => flow.decides.push(register),
                Role::Reads if mask == Some(number) => flow.decides.push(register),
                Role::Reads | Role::Addresses if is_pure || is_own_store => flow.from.push(register),
                Role::ReadsPredicate if is_pure => flow.from.push(predicate),
                Role::Reads | Role::Addresses => flow.decides.push(register),
                Role::ReadsPredicate => flow.decides.push(predicate),
            }
        });
        if inst.guard != crate::decode::NONE {
            let guard = Location::Predicate(function, inst.guard);
            if is_pure || is_load || is_own_store { flow.from.push(guard) } else { flow.decides.push(guard) }
        }
        match inst.op {
            Op::Load { space: Space::Local | Space::Param | Space::Generic, .. } => {
                flow.from.push(Location::Local);
            }
            Op::Store { space: Space::Local | Space::Param, .. } => flow.to.push(Location::Local),
            // The value that comes back lies in local memory.
            Op::Call { .. } | Op::Return {} => flow.to.push(Location::Local),
            _ => {}
        }
        flow
    }
}

/// Whether it does nothing but compute.
fn is_pure(op: &Op) -> bool {
    matches!(
        op,
        Op::Alu { .. }
            | Op::Extended { .. }
            | Op::Test { .. }
            | Op::Set { .. }
            | Op::Select { .. }
            | Op::Logic { .. }
            | Op::Classify { .. }
            | Op::Pack { .. }
            | Op::Unpack { .. }
            | Op::AddressOf { .. }
            | Op::MapShared { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::Reduce { .. }
            | Op::Mma { .. }
            | Op::ActiveMask { .. }
            | Op::Clock { .. }
            | Op::Nop {}
    )
}

impl Slice {
    pub fn of(executed: &Steps, program: &Program) -> Slice {
        let flows: Vec<Flow> =
            instructions(executed, program).map(|((function, _), inst)| Flow::of(function, inst)).collect();
        let mut slice = Slice::default();
        for flow in &flows {
            slice.decides.extend(&flow.decides);
            if flow.is_branch {
                slice.branches.extend(&flow.decides);
            }
            if flow.is_clock {
                slice.timed.extend(&flow.to);
            }
        }
        closure(&mut slice.decides, &flows, |flow| (&flow.to, &flow.from));
        closure(&mut slice.branches, &flows, |flow| (&flow.to, &flow.from));
        closure(&mut slice.timed, &flows, |flow| (&flow.from, &flow.to));
        slice.timed.retain(|place| slice.decides.contains(place));
        slice
    }

    /// The first load that looks at what others may write, of those whose value decides a branch.
    pub fn looks(&self, executed: &Steps, program: &Program) -> Cycle {
        let mut looks: Vec<_> = instructions(executed, program)
            .filter(|((function, _), inst)| {
                let reads_shared = match inst.op {
                    Op::Load { space, .. } => {
                        matches!(space, Space::Global | Space::Shared | Space::Generic)
                    }
                    Op::Atomic { .. } | Op::Mbarrier { .. } => true,
                    _ => false,
                };
                reads_shared && Flow::of(*function, inst).to.iter().any(|to| self.branches.contains(to))
            })
            .map(|(place, _)| place)
            .collect();
        looks.sort();
        looks.first().map_or(Cycle::Turns, |&(function, pc)| Cycle::Waits(function, pc))
    }
}

/// Adds the second of what `ends` gives of a flow, wherever some of the first is there, until that brings no
/// more.
fn closure(
    places: &mut FxHashSet<Location>,
    flows: &[Flow],
    ends: impl for<'f> Fn(&'f Flow) -> (&'f [Location], &'f [Location]),
) {
    loop {
        let before = places.len();
        for flow in flows {
            let (known, new) = ends(flow);
            if known.iter().any(|place| places.contains(place)) {
                places.extend(new);
            }
        }
        if places.len() == before {
            return;
        }
    }
}

impl Followed {
    fn new(warp: &Warp, changes: u64, age: u32) -> Followed {
        let executed = Steps::default();
        Followed { changes, start: Still::of(warp), executed, steps: 0, age, slice: None }
    }
}

impl Warp {
    /// Before a step of the warp while it is followed, in the state of memory of number `changes`: where it
    /// stands will be executed.
    pub fn before_step(&mut self, changes: u64) {
        let mut followed = match self.followed.take() {
            Some(followed) if followed.changes == changes => followed,
            _ => Box::new(Followed::new(self, changes, FIRST)),
        };
        add_steps(&mut followed.executed, self);
        self.followed = Some(followed);
    }

    /// After it: the cycle, if the warp has come round. `still`: instructions since anything changed.
    pub fn after_step(&mut self, program: &Program, still: u64) -> Option<Cycle> {
        let mut followed = self.followed.take()?;
        followed.steps += 1;
        if followed.start.is_place_of(self, |before, now| before == now) {
            let known = followed.executed.len();
            let slice = match followed.slice.take() {
                Some((slice, of)) if of == known => slice,
                _ => Slice::of(&followed.executed, program),
            };
            if followed.start.agrees(self, &slice, still) {
                return Some(slice.looks(&followed.executed, program));
            }
            followed.slice = Some((slice, known));
        }
        if followed.steps >= followed.age {
            followed = Box::new(Followed::new(self, followed.changes, 2 * followed.age));
        }
        self.followed = Some(followed);
        None
    }
}
