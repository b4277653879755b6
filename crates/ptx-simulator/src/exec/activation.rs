//! A function being executed by some lanes: its registers, its predicates, and its part of local memory.

use super::undefined::{Followed, Origin, Racing, RacingReads, Undefined};
use crate::arith::{Lanes, WARP};
use crate::decode::{CONSTANT, Function, Guard, NONE, Position, Pred, Reg};

#[derive(Debug, Default)]
pub struct Activation {
    pub function: usize,
    pub registers: Vec<Lanes>,
    /// One mask a predicate.
    pub predicates: Vec<u32>,
    /// Which of the two hold undefined values, and which values from reads that race; kept under checks.
    pub undefined: Undefined,
    pub racing: Racing,
    /// Where this activation's local variables start in the lanes' local memory, and its call parameters, and
    /// where both end.
    pub local_base: usize,
    pub frame_base: usize,
    pub local_end: usize,
    /// Calls that are open: 0 in a kernel.
    pub depth: u32,
    /// Where the value that comes back goes, in the caller's frame.
    pub returns_to: Option<usize>,
}

/// Where followed values come from, and where an activation keeps those of this kind.
pub trait Kept: Origin {
    fn of(activation: &Activation) -> &Followed<Self>;
    fn of_mut(activation: &mut Activation) -> &mut Followed<Self>;
}

impl Kept for u32 {
    #[inline(always)]
    fn of(activation: &Activation) -> &Undefined {
        &activation.undefined
    }

    #[inline(always)]
    fn of_mut(activation: &mut Activation) -> &mut Undefined {
        &mut activation.undefined
    }
}

impl Kept for RacingReads {
    fn of(activation: &Activation) -> &Racing {
        &activation.racing
    }

    fn of_mut(activation: &mut Activation) -> &mut Racing {
        &mut activation.racing
    }
}

impl Activation {
    pub fn open(&mut self, number: usize, function: &Function, local_base: usize) {
        self.function = number;
        self.registers.clear();
        self.registers.resize(function.registers, [0; WARP]);
        self.predicates.clear();
        self.predicates.resize(function.predicates, 0);
        self.undefined.open(function);
        self.racing.clear();
        self.local_base = local_base;
        self.frame_base = (local_base + function.local_bytes).next_multiple_of(16);
        self.local_end = (self.frame_base + function.frame_bytes).next_multiple_of(16);
        self.returns_to = None;
        self.depth = 0;
    }

    /// Its part of the lanes' local memory.
    pub fn local(&self) -> (usize, usize) {
        (self.local_base, self.local_end)
    }

    /// Registers and predicates.
    pub fn values(&self) -> (&[Lanes], &[u32]) {
        (&self.registers, &self.predicates)
    }

    /// Fills the registers that hold special registers.
    pub fn set_specials(&mut self, function: &Function, position: &Position) {
        for (special, register) in &function.specials {
            let lanes = &mut self.registers[*register as usize];
            *lanes = std::array::from_fn(|lane| special.value(position, lane as u32));
        }
    }

    /// The lanes for which a predicate, or its negation, holds.
    #[inline(always)]
    pub fn holds(&self, Guard { p, negated }: Guard) -> u32 {
        let p = self.predicates[p as usize];
        if negated { !p } else { p }
    }

    /// The lanes of `active` write `value` to a predicate, if there is one.
    #[inline(always)]
    pub fn set_predicate(&mut self, p: Pred, active: u32, value: u32) {
        if p != NONE {
            let slot = &mut self.predicates[p as usize];
            *slot = (*slot & !active) | (value & active);
        }
    }
}

/// Addresses of call parameters: this plus where they lie in local memory. Those of a kernel's own parameters
/// are below it.
pub const FRAME_WINDOW: u64 = 1 << 40;

/// The register, or the constant, that a number stands for.
#[inline(always)]
pub fn source<'a>(activation: &'a Activation, function: &'a Function, register: Reg) -> &'a Lanes {
    source_of(&activation.registers, function, register)
}

/// The same among these registers.
#[inline(always)]
pub fn source_of<'a>(registers: &'a [Lanes], function: &'a Function, register: Reg) -> &'a Lanes {
    let register = register as usize;
    match registers.get(register) {
        Some(lanes) => lanes,
        None => &function.constants[register - CONSTANT as usize],
    }
}
