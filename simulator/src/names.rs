//! What a name or an operand stands for: registers, constants, special registers, variables and addresses.

use super::alu;
use super::decode::{CONSTANT, Decoder};
use super::program::*;
use super::ptx::Operand;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterKind {
    Predicate,
    /// Of at most 32 bits: an address in it wraps there.
    Narrow,
    Wide,
}

/// Where a name stands for something in the function being decoded.
#[derive(Clone, Debug)]
pub enum Named {
    Register { number: Reg, kind: RegisterKind },
    KernelParam { offset: usize },
    Frame { offset: usize, bytes: usize },
    Local { offset: u64 },
    Shared { address: u64 },
    Global { number: usize },
}

impl Decoder<'_, '_> {
    pub fn lookup(&self, name: &str) -> Option<Named> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = name.split_at(name.len() - digits);
        for (scope, ranges) in self.scopes.iter().zip(&self.ranges).rev() {
            if let Some(named) = scope.get(name) {
                return Some(named.clone());
            }
            if digits > 0
                && let Some((first, count, kind)) = ranges.get(prefix)
                && let Ok(number) = number.parse::<u32>()
                && number < *count
            {
                return Some(Named::Register { number: first + number, kind: *kind });
            }
        }
        None
    }

    pub fn constant(&mut self, value: u64) -> Reg {
        *self.constants.entry(value).or_insert_with(|| {
            self.constant_values.push(value);
            CONSTANT + self.constant_values.len() as u32 - 1
        })
    }

    pub fn scratch(&mut self) -> Reg {
        self.out.registers += 1;
        self.out.registers as u32 - 1
    }

    pub fn predicate(&self, name: &str) -> Option<Pred> {
        match self.lookup(name)? {
            Named::Register { number, kind: RegisterKind::Predicate } => Some(number),
            _ => None,
        }
    }

    /// A register that an instruction writes; `_` is a register nobody reads.
    pub fn destination(&mut self, operand: &Operand) -> Option<Reg> {
        let Operand::Name(name) = operand else { return None };
        if name == "_" {
            return Some(self.scratch());
        }
        match self.lookup(name)? {
            Named::Register { kind: RegisterKind::Predicate, .. } => None,
            Named::Register { number, .. } => Some(number),
            _ => None,
        }
    }

    /// A value that an instruction reads: register, literal or special register. `ty` says how a float literal is
    /// meant.
    pub fn source(&mut self, operand: &Operand) -> Option<Reg> {
        match operand {
            Operand::Int(value) => Some(self.constant(*value)),
            Operand::F32(bits) => Some(self.constant(*bits as u64)),
            Operand::F64(bits) => Some(self.constant(*bits)),
            Operand::Name(name) => match self.lookup(name) {
                Some(Named::Register { number, kind }) if kind != RegisterKind::Predicate => Some(number),
                Some(Named::Shared { address }) => Some(self.constant(address)),
                Some(Named::KernelParam { offset }) => Some(self.constant(offset as u64)),
                Some(_) => None,
                None => self.special(name),
            },
            Operand::Sum(name, more) => match self.lookup(name)? {
                Named::Shared { address } => Some(self.constant(address.wrapping_add(*more as u64))),
                Named::KernelParam { offset } => {
                    Some(self.constant((offset as u64).wrapping_add(*more as u64)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Special registers (PTX ISA 10) and names that are constants.
    pub fn special(&mut self, name: &str) -> Option<Reg> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let axis = |rest: &str| match rest {
            ".x" => Some(0),
            ".y" => Some(1),
            ".z" => Some(2),
            _ => None,
        };
        let place = if let Some(rest) = name.strip_prefix("%tid") {
            Place::Tid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%ntid") {
            Place::Ntid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%ctaid") {
            Place::Ctaid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%nctaid") {
            Place::Nctaid(axis(rest)?)
        } else {
            match name {
                "%laneid" => Place::LaneId,
                "%warpid" => Place::WarpId,
                "%nwarpid" => Place::NWarpId,
                "%gridid" => Place::GridId,
                "%lanemask_eq" => Place::LaneMask(Equal, false),
                "%lanemask_lt" => Place::LaneMask(Less, false),
                "%lanemask_le" => Place::LaneMask(Less, true),
                "%lanemask_gt" => Place::LaneMask(Greater, false),
                "%lanemask_ge" => Place::LaneMask(Greater, true),
                "%envreg1" | "%envreg2" => {
                    self.out.uses_grid_workspace = true;
                    Place::Workspace(if name == "%envreg2" { 0 } else { 1 })
                }
                "%dynamic_smem_size" => Place::DynamicSharedSize,
                "%total_smem_size" => Place::TotalSharedSize,
                "%smid" => Place::Zero,
                "%nsmid" => return Some(self.constant(1)),
                "WARP_SZ" => return Some(self.constant(alu::WARP as u64)),
                _ => return None,
            }
        };
        Some(self.place(place))
    }

    /// The register that holds a place.
    pub fn place(&mut self, place: Place) -> Reg {
        if let Some((_, register)) = self.out.places.iter().find(|(p, _)| *p == place) {
            return *register;
        }
        let register = self.scratch();
        self.out.places.push((place, register));
        register
    }

    /// `[base+offset]` for a state space.
    pub fn address(&mut self, operand: &Operand) -> Option<Address> {
        let Operand::Address(base, offset) = operand else { return None };
        let Some(name) = base else { return Some(Address { base: NONE, offset: *offset, narrow: false }) };
        match self.lookup(name) {
            Some(Named::Register { number, kind }) if kind != RegisterKind::Predicate => {
                Some(Address { base: number, offset: *offset, narrow: kind == RegisterKind::Narrow })
            }
            Some(Named::Shared { address: start }) => {
                Some(Address { base: NONE, offset: (start as i64).wrapping_add(*offset), narrow: false })
            }
            Some(Named::KernelParam { offset: start }) => {
                Some(Address { base: NONE, offset: (start as i64).wrapping_add(*offset), narrow: false })
            }
            _ => None,
        }
    }

    pub fn registers(&mut self, operand: &Operand, source: bool) -> Option<Vec<Reg>> {
        let one = |this: &mut Self, operand: &Operand| {
            if source { this.source(operand) } else { this.destination(operand) }
        };
        match operand {
            Operand::Vector(items) => items.iter().map(|item| one(self, item)).collect(),
            operand => Some(vec![one(self, operand)?]),
        }
    }
}
