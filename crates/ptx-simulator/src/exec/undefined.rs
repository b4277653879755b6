//! uninitialized-read: values that were never written, followed through registers and memory.
//!
//! A value is undefined if it was loaded from bytes of which neither the host nor a kernel has written any (a
//! value of which some bytes have been written is often a structure with its padding), or computed from an
//! undefined value.
//! Copying one is no mistake (padding is copied all the time); it is one where it matters: where it decides a
//! branch or a predicate, where it is part of an address, and where it is stored to global memory. Lanes are
//! kept apart, and bits where an instruction moves them: compilers pack pairs of which they use one half. The
//! PTX ISA (5.1) leaves the initial contents of registers and of the `.local`,
//! `.shared` and (without initialiser, as `cudaMalloc` gives it) `.global` spaces undefined.

use rustc_hash::FxHashMap;

use crate::arith::{Lanes, WARP, lanes, which};
use crate::decode::{Function, NONE, Op, Pred, Reg, Role};

/// Which lanes hold an undefined value, and the line that it comes from.
pub type Lost = (u32, u32);

/// What is undefined in the registers of a function.
#[derive(Debug, Default)]
pub struct Undefined {
    registers: Vec<Lost>,
    /// Which bits are, of the registers that are undefined in part; of the others all are.
    bits: FxHashMap<Reg, Box<Lanes>>,
    predicates: Vec<Lost>,
}

/// Lanes of `active` write a value.
#[inline(always)]
fn put(slot: &mut Lost, active: u32, (undefined, origin): Lost) {
    slot.0 = (slot.0 & !active) | (undefined & active);
    if undefined & active != 0 {
        slot.1 = origin;
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

    /// What is undefined in a source; in a constant nothing.
    #[inline]
    pub fn source(&self, register: Reg) -> Lost {
        self.registers.get(register as usize).copied().unwrap_or((0, NONE))
    }

    #[inline]
    pub fn set(&mut self, d: Reg, active: u32, value: Lost) {
        if let Some(slot) = self.registers.get_mut(d as usize) {
            put(slot, active, value);
            if value.0 & active != 0
                && let Some(bits) = self.bits.get_mut(&d)
            {
                for lane in lanes(value.0 & active) {
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
    pub fn set_bits(&mut self, d: Reg, active: u32, bits: &Lanes, origin: u32) {
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
    pub fn set_predicate(&mut self, d: Pred, active: u32, value: Lost) {
        if let Some(slot) = self.predicates.get_mut(d as usize) {
            put(slot, active, value);
        }
    }

    #[inline]
    pub fn predicate(&self, p: Pred) -> Lost {
        self.predicates.get(p as usize).copied().unwrap_or((0, NONE))
    }

    /// What is undefined in anything that an operation reads.
    #[inline(never)]
    pub fn read(&self, op: &Op) -> Lost {
        let mut all = (0, NONE);
        op.operands(|role, number| match role {
            Role::Reads | Role::Addresses => all = either(all, self.source(number)),
            Role::ReadsPredicate => all = either(all, self.predicate(number)),
            Role::Writes | Role::WritesPredicate => {}
        });
        all
    }

    /// So much is undefined in everything that an operation writes.
    #[inline(never)]
    pub fn write(&mut self, op: &Op, active: u32, undefined: Lost) {
        op.operands(|role, number| match role {
            Role::Writes => self.set(number, active, undefined),
            Role::WritesPredicate => self.set_predicate(number, active, undefined),
            Role::Reads | Role::Addresses | Role::ReadsPredicate => {}
        });
    }

    /// What is undefined in any of the sources, and where the first such comes from.
    #[inline]
    pub fn any(&self, sources: &[Reg]) -> Lost {
        sources.iter().fold((0, NONE), |all, source| either(all, self.source(*source)))
    }
}

/// The lanes in which bits of a byte are undefined.
pub fn of_byte(bits: &Lanes, byte: usize) -> u32 {
    which(u32::MAX, |lane| bits[lane] >> (8 * byte) & 0xff != 0)
}

/// `a` or `b`, whichever is undefined first.
#[inline]
pub fn either(a: Lost, b: Lost) -> Lost {
    (a.0 | b.0, if a.0 != 0 { a.1 } else { b.1 })
}
