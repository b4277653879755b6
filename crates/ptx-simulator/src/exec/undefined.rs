//! Values that are followed through registers and memory, for one of two reasons: they were never written
//! (uninitialized-read), or they come from a read that races (data-race). Copying one is no mistake
//! (padding is copied all the time, and compilers read ahead); it is one where it matters: where it decides
//! a branch or a predicate, where it is part of an address, and where it is stored to global memory. Lanes
//! are kept apart, and bits where an instruction moves them: compilers pack pairs of which they use one
//! half.
//!
//! A value is undefined if it was loaded from bytes of which neither the host nor a kernel has written any (a
//! value of which some bytes have been written is often a structure with its padding), or computed from an
//! undefined value. The PTX ISA (5.1) leaves the initial contents of registers and of the `.local`,
//! `.shared` and (without initialiser, as `cudaMalloc` gives it) `.global` spaces undefined.
//!
//! Which reads race, and what comes of their use, the checks say (`check/reads.rs`). Most kernels have none,
//! and then nothing is kept here.

use std::fmt::Debug;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::arith::{Lanes, WARP, lanes, which};
use crate::decode::{Function, NONE, Op, Pred, Reg, Role};
use crate::observe::Peer;
use crate::ptx::Space;

/// Where followed values come from.
pub trait Origin: Clone + Debug {
    /// That of nothing.
    const NOWHERE: Self;

    /// That of a value made from two.
    fn join(&self, other: &Self) -> Self;
}

/// Of an undefined value: the line in the PTX of the instruction that has read it, of the first such.
impl Origin for u32 {
    const NOWHERE: u32 = NONE;

    /// Lanes that have never run hold what is undefined from nowhere.
    #[inline(always)]
    fn join(&self, other: &u32) -> u32 {
        if *self == NONE { *other } else { *self }
    }
}

/// Of a value that races: the numbers of all reads that it comes from, in their order.
#[derive(Clone, Debug, Default)]
pub struct RacingReads(Option<Rc<[u32]>>);

impl RacingReads {
    pub fn one(number: u32) -> RacingReads {
        RacingReads(Some(Rc::new([number])))
    }

    pub fn numbers(&self) -> &[u32] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Without some of them.
    fn without(&self, numbers: &[u32]) -> RacingReads {
        RacingReads(Some(self.numbers().iter().copied().filter(|one| !numbers.contains(one)).collect()))
    }
}

impl Origin for RacingReads {
    const NOWHERE: RacingReads = RacingReads(None);

    fn join(&self, other: &RacingReads) -> RacingReads {
        if other.numbers().iter().all(|one| self.numbers().binary_search(one).is_ok()) {
            return self.clone();
        }
        let mut all = [self.numbers(), other.numbers()].concat();
        all.sort_unstable();
        all.dedup();
        RacingReads(Some(all.into()))
    }
}

/// The first byte of an access to global or shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Byte {
    pub space: Space,
    /// In whose shared memory, if that is another block's.
    pub owner: Option<Peer>,
    pub address: u64,
    /// Bytes of the access, or of a part of a vector.
    pub bytes: u32,
}

/// Bytes of shared memory that hold such a value, by their offsets; and of the lanes' local memory.
pub type InShared = FxHashMap<usize, RacingReads>;
pub type InLocal = FxHashMap<(usize, usize), RacingReads>;

/// Which lanes hold a followed value, and where it comes from.
pub type Lost<O> = (u32, O);

/// What is followed in the registers of a function.
#[derive(Debug)]
pub struct Followed<O> {
    registers: Vec<Lost<O>>,
    /// Which bits are, of the registers that are followed in part; of the others all are.
    bits: FxHashMap<Reg, Box<Lanes>>,
    predicates: Vec<Lost<O>>,
}

/// What is undefined, and what comes from reads that race.
pub type Undefined = Followed<u32>;
pub type Racing = Followed<RacingReads>;

impl<O> Default for Followed<O> {
    fn default() -> Followed<O> {
        Followed { registers: Vec::new(), bits: FxHashMap::default(), predicates: Vec::new() }
    }
}

/// Lanes of `active` write a value.
#[inline(always)]
fn put<O: Origin>(slot: &mut Lost<O>, active: u32, (undefined, origin): Lost<O>) {
    let others = slot.0 & !active;
    slot.0 = others | (undefined & active);
    if undefined & active != 0 {
        slot.1 = if others == 0 { origin } else { origin.join(&slot.1) };
    }
}

impl Racing {
    /// No value is followed.
    pub fn clear(&mut self) {
        *self = Racing::default();
    }

    /// Whether some value is, or has been.
    #[inline(always)]
    pub fn is_any(&self) -> bool {
        !self.registers.is_empty()
    }

    /// Lanes of `active` hold a value that comes from these reads, besides what is known of it.
    pub fn add(&mut self, function: &Function, d: Reg, active: u32, origin: RacingReads) {
        if !self.is_any() {
            self.registers.resize(function.registers.max(1), (0, RacingReads::NOWHERE));
            self.predicates.resize(function.predicates, (0, RacingReads::NOWHERE));
        }
        let known = self.source(d);
        let origin = if known.0 == 0 { origin } else { origin.join(&known.1) };
        self.set(d, active, (active, origin));
    }

    /// Lanes of `mask` need not be asked any more what becomes of their values from these reads.
    pub fn forget(&mut self, reads: &[u32], mask: u32) {
        let concerned = |slot: &&mut Lost<RacingReads>| {
            slot.0 & mask != 0 && slot.1.numbers().iter().any(|number| reads.contains(number))
        };
        for slot in self.registers.iter_mut().chain(&mut self.predicates).filter(concerned) {
            let rest = slot.1.without(reads);
            if rest.numbers().is_empty() {
                slot.0 &= !mask;
            } else if slot.0 & !mask == 0 {
                slot.1 = rest;
            }
        }
    }
}

impl Undefined {
    /// A function is entered: no register has been written, except the special ones.
    pub fn open(&mut self, function: &Function) {
        self.bits.clear();
        self.registers.clear();
        self.registers.resize(function.registers, (u32::MAX, NONE));
        self.predicates.clear();
        self.predicates.resize(function.predicates, (0, NONE));
        for (_, register) in &function.specials {
            self.registers[*register as usize].0 = 0;
        }
    }
}

impl<O: Origin> Followed<O> {
    /// What is followed in a source; in a constant nothing.
    #[inline]
    pub fn source(&self, register: Reg) -> Lost<O> {
        self.registers.get(register as usize).cloned().unwrap_or((0, O::NOWHERE))
    }

    #[inline]
    pub fn set(&mut self, d: Reg, active: u32, value: Lost<O>) {
        if let Some(slot) = self.registers.get_mut(d as usize) {
            let followed = value.0 & active;
            put(slot, active, value);
            if followed != 0
                && let Some(bits) = self.bits.get_mut(&d)
            {
                for lane in lanes(followed) {
                    bits[lane] = u64::MAX;
                }
            }
        }
    }

    /// The undefined bits of a source, in each lane.
    #[cold]
    pub fn bits_of(&self, register: Reg) -> Lanes {
        let undefined = self.source(register).0;
        let bits = self.bits.get(&register);
        std::array::from_fn(|lane| match undefined >> lane & 1 {
            0 => 0,
            _ => bits.map_or(u64::MAX, |bits| bits[lane]),
        })
    }

    /// Lanes of `active` write a value with these undefined bits.
    #[cold]
    pub fn set_bits(&mut self, d: Reg, active: u32, bits: &Lanes, origin: O) {
        let undefined = which(u32::MAX, |lane| bits[lane] != 0);
        self.set(d, active, (undefined, origin));
        if lanes(undefined & active).any(|lane| bits[lane] != u64::MAX) {
            let kept = self.bits.entry(d).or_insert_with(|| Box::new([u64::MAX; WARP]));
            for lane in lanes(undefined & active) {
                kept[lane] = bits[lane];
            }
        }
    }

    #[inline]
    pub fn set_predicate(&mut self, d: Pred, active: u32, value: Lost<O>) {
        if let Some(slot) = self.predicates.get_mut(d as usize) {
            put(slot, active, value);
        }
    }

    #[inline]
    pub fn predicate(&self, p: Pred) -> Lost<O> {
        self.predicates.get(p as usize).cloned().unwrap_or((0, O::NOWHERE))
    }

    /// What is undefined in anything that an operation reads.
    #[inline(never)]
    pub fn read(&self, op: &Op) -> Lost<O> {
        let mut all = (0, O::NOWHERE);
        op.operands(|role, number| match role {
            Role::Reads | Role::Addresses => all = either(&all, self.source(number)),
            Role::ReadsPredicate => all = either(&all, self.predicate(number)),
            Role::Writes | Role::WritesPredicate => {}
        });
        all
    }

    /// So much is undefined in everything that an operation writes.
    #[inline(never)]
    pub fn write(&mut self, op: &Op, active: u32, undefined: Lost<O>) {
        op.operands(|role, number| match role {
            Role::Writes => self.set(number, active, undefined.clone()),
            Role::WritesPredicate => self.set_predicate(number, active, undefined.clone()),
            Role::Reads | Role::Addresses | Role::ReadsPredicate => {}
        });
    }

    /// What is undefined in any of the sources, and where the first such comes from.
    #[inline]
    pub fn any(&self, sources: &[Reg]) -> Lost<O> {
        sources.iter().fold((0, O::NOWHERE), |all, source| either(&all, self.source(*source)))
    }
}

/// The lanes in which bits of a byte are undefined.
pub fn of_byte(bits: &Lanes, byte: usize) -> u32 {
    which(u32::MAX, |lane| bits[lane] >> (8 * byte) & 0xff != 0)
}

/// `a` or `b`, or both.
#[inline]
pub fn either<O: Origin>(a: &Lost<O>, b: Lost<O>) -> Lost<O> {
    match (a.0, b.0) {
        (0, _) => b,
        (_, 0) => a.clone(),
        _ => (a.0 | b.0, a.1.join(&b.1)),
    }
}
