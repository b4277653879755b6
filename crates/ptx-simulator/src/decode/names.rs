//! What a name or an operand stands for: registers, constants, special registers, variables and addresses.

use rustc_hash::FxHashMap;

use super::op::*;
use super::program::Place;
use crate::arith::WARP;
use crate::ptx::Operand;

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

/// What the names in a function stand for, and the registers and constants that it needs.
pub struct Names<'a> {
    pub is_entry: bool,
    /// The module's functions, by name.
    pub functions: &'a FxHashMap<String, usize>,
    /// Open scopes, the innermost last. `%r<5>` is kept as the prefix `%r` with its first number and its
    /// count.
    scopes: Vec<Scope>,
    /// The numbers of the open scopes, and how many there have been.
    open: Vec<u32>,
    count: u32,
    /// Places of labels, by the scope they stand in.
    labels: FxHashMap<(u32, &'a str), u32>,
    pub targets: Vec<(&'a str, &'a [String])>,
    pub registers: usize,
    pub predicates: usize,
    pub places: Vec<(Place, Reg)>,
    pub constants: Vec<u64>,
    carry: Option<Reg>,
    pub uses_grid_workspace: bool,
    /// Functions called directly.
    pub calls: Vec<usize>,
    /// Why the instruction at hand cannot be decoded, where there is more to say than that it is not known.
    pub because: Option<String>,
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<String, Named>,
    ranges: Vec<(String, Reg, u32, RegisterKind)>,
}

impl<'a> Names<'a> {
    pub fn new(is_entry: bool, functions: &'a FxHashMap<String, usize>) -> Names<'a> {
        Names {
            is_entry,
            functions,
            scopes: vec![Scope::default()],
            open: vec![0],
            count: 0,
            labels: FxHashMap::default(),
            targets: Vec::new(),
            registers: 0,
            predicates: 0,
            places: Vec::new(),
            constants: Vec::new(),
            carry: None,
            uses_grid_workspace: false,
            calls: Vec::new(),
            because: None,
        }
    }

    pub fn open(&mut self) {
        self.count += 1;
        self.open.push(self.count);
        self.scopes.push(Scope::default());
    }

    /// The outermost scope stays: braces match in what the parser gives.
    pub fn close(&mut self) {
        if self.scopes.len() > 1 {
            self.open.pop();
            self.scopes.pop();
        }
    }

    /// Scopes are numbered from the start again, for a second pass over the statements.
    pub fn rewind(&mut self) {
        self.count = 0;
    }

    fn scope(&mut self) -> &mut Scope {
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    pub fn add(&mut self, name: &str, named: Named) {
        self.scope().names.insert(name.to_string(), named);
    }

    /// Declares `name`, or `name<count>`.
    pub fn declare(&mut self, kind: RegisterKind, name: &str, count: Option<u32>) {
        let total = if kind == RegisterKind::Predicate { &mut self.predicates } else { &mut self.registers };
        let first = *total as u32;
        *total += count.unwrap_or(1) as usize;
        match count {
            Some(count) => self.scope().ranges.push((name.to_string(), first, count, kind)),
            None => self.add(name, Named::Register { number: first, kind }),
        }
    }

    pub fn add_label(&mut self, name: &'a str, at: u32) {
        let scope = self.open.last().copied().unwrap_or(0);
        self.labels.insert((scope, name), at);
    }

    /// Where a label of an open scope stands, the innermost first.
    pub fn label(&self, name: &str) -> Option<u32> {
        self.open.iter().rev().find_map(|scope| self.labels.get(&(*scope, name)).copied())
    }

    /// The register that holds the carry flag of `add.cc` and its like.
    pub fn carry(&mut self) -> Reg {
        let register = self.carry.unwrap_or_else(|| self.scratch());
        *self.carry.insert(register)
    }

    pub fn lookup(&self, name: &str) -> Option<Named> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = name.split_at(name.len() - digits);
        for Scope { names, ranges } in self.scopes.iter().rev() {
            if let Some(named) = names.get(name) {
                return Some(named.clone());
            }
            if digits > 0
                && let Some((_, first, count, kind)) = ranges.iter().rfind(|(name, ..)| name == prefix)
                && let Ok(number) = number.parse::<u32>()
                && number < *count
            {
                return Some(Named::Register { number: first + number, kind: *kind });
            }
        }
        None
    }

    pub fn constant(&mut self, value: u64) -> Reg {
        let place = self.constants.iter().position(|constant| *constant == value).unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        });
        CONSTANT + place as u32
    }

    pub fn scratch(&mut self) -> Reg {
        self.registers += 1;
        self.registers as u32 - 1
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

    /// A value that an instruction reads: register, literal or special register. `ty` says how a float
    /// literal is meant.
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
        let place = if let Some(rest) = name.strip_prefix("%clusterid") {
            Place::ClusterId(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%nclusterid") {
            Place::NClusterId(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%cluster_ctaid") {
            Place::ClusterCtaid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%cluster_nctaid") {
            Place::ClusterNctaid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%tid") {
            Place::Tid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%ntid") {
            Place::Ntid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%ctaid") {
            Place::Ctaid(axis(rest)?)
        } else if let Some(rest) = name.strip_prefix("%nctaid") {
            Place::Nctaid(axis(rest)?)
        } else {
            match name {
                "%cluster_ctarank" => Place::ClusterRank,
                "%cluster_nctarank" => Place::ClusterSize,
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
                    self.uses_grid_workspace = true;
                    Place::Workspace(if name == "%envreg2" { 0 } else { 1 })
                }
                "%dynamic_smem_size" => Place::DynamicSharedSize,
                "%total_smem_size" => Place::TotalSharedSize,
                "%smid" => Place::Zero,
                "%nsmid" => return Some(self.constant(1)),
                "WARP_SZ" => return Some(self.constant(WARP as u64)),
                _ => return None,
            }
        };
        Some(self.place(place))
    }

    /// The register that holds a place.
    pub fn place(&mut self, place: Place) -> Reg {
        if let Some((_, register)) = self.places.iter().find(|(p, _)| *p == place) {
            return *register;
        }
        let register = self.scratch();
        self.places.push((place, register));
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
