//! What a name or an operand stands for: registers, constants, special registers, variables and addresses.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::op::*;
use super::program::{FUNCTION_WINDOW, Function};
use super::special::Special;
use crate::ptx::{Operand, Space};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterKind {
    Predicate,
    /// Of at most 32 bits: an address in it wraps there.
    Narrow,
    Wide,
}

/// Where a name stands for something in the function being decoded.
#[derive(Clone, Copy, Debug)]
pub enum Named {
    Register {
        number: Reg,
        kind: RegisterKind,
    },
    /// A variable, or a parameter: where it lies, and in which space.
    Variable {
        at: Address,
        space: Space,
    },
}

/// What the names in a function stand for, and the registers and constants that it needs.
pub struct Names<'a> {
    /// The function being decoded.
    pub out: Function,
    /// The module's functions, by name, and those that it does not define.
    pub functions: &'a FxHashMap<String, usize>,
    externals: &'a RefCell<Vec<String>>,
    /// All functions that the text declares.
    pub declared: &'a FxHashSet<&'a str>,
    /// Open scopes, the innermost last. `%r<5>` is kept as the prefix `%r` with its first number and its
    /// count.
    scopes: Vec<Scope>,
    /// How many have been opened.
    count: u32,
    /// Places of labels, by the scope they stand in.
    labels: FxHashMap<(u32, &'a str), u32>,
    pub targets: Vec<(&'a str, &'a [&'a str])>,
    pub constants: Vec<u64>,
    carry: Option<Reg>,
    /// The function that the instruction at hand calls, if there is none of that name.
    pub undefined: Option<String>,
}

#[derive(Default)]
struct Scope {
    number: u32,
    names: FxHashMap<String, Named>,
    ranges: Vec<(String, Reg, u32, RegisterKind)>,
}

impl<'a> Names<'a> {
    pub fn new(
        out: Function,
        functions: &'a FxHashMap<String, usize>,
        (declared, externals): (&'a FxHashSet<&'a str>, &'a RefCell<Vec<String>>),
    ) -> Names<'a> {
        Names {
            out,
            functions,
            externals,
            declared,
            scopes: vec![Scope::default()],
            count: 0,
            labels: FxHashMap::default(),
            targets: Vec::new(),
            constants: Vec::new(),
            carry: None,
            undefined: None,
        }
    }

    /// The number of a function that the module does not define.
    pub fn external(&self, name: &str) -> u32 {
        let mut externals = self.externals.borrow_mut();
        let known = externals.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            externals.push(name.to_string());
            externals.len() - 1
        }) as u32
    }

    /// The address of a function.
    pub fn function_address(&self, name: &str) -> Option<u64> {
        if let Some(number) = self.functions.get(name) {
            return Some(FUNCTION_WINDOW + *number as u64);
        }
        let is_declared = self.declared.contains(name);
        is_declared.then(|| FUNCTION_WINDOW + (self.functions.len() as u32 + self.external(name)) as u64)
    }

    pub fn open(&mut self) {
        self.count += 1;
        self.scopes.push(Scope { number: self.count, ..Scope::default() });
    }

    /// The outermost scope stays: braces match in what the parser gives.
    pub fn close(&mut self) {
        if self.scopes.len() > 1 {
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

    /// A variable that lies at `offset` behind a base, or at this very address.
    pub fn place(&mut self, name: &str, base: Base, offset: u64, space: Space) {
        let at = Address { base, offset: offset as i64 };
        self.add(name, Named::Variable { at, space });
    }

    /// Declares `name`, or `name<count>`.
    pub fn declare(&mut self, kind: RegisterKind, name: &str, count: Option<u32>) {
        let Function { registers, predicates, .. } = &mut self.out;
        let total = if kind == RegisterKind::Predicate { predicates } else { registers };
        let first = *total as u32;
        *total += count.unwrap_or(1) as usize;
        match count {
            Some(count) => self.scope().ranges.push((name.to_string(), first, count, kind)),
            None => self.add(name, Named::Register { number: first, kind }),
        }
    }

    pub fn add_label(&mut self, name: &'a str, at: u32) {
        let scope = self.scope().number;
        self.labels.insert((scope, name), at);
    }

    /// Where a label of an open scope stands, the innermost first.
    pub fn label(&self, name: &str) -> Option<u32> {
        self.scopes.iter().rev().find_map(|scope| self.labels.get(&(scope.number, name)).copied())
    }

    /// The register that holds the carry flag of `add.cc` and its like.
    pub fn carry(&mut self) -> Reg {
        let register = self.carry.unwrap_or_else(|| self.scratch());
        *self.carry.insert(register)
    }

    pub fn lookup(&self, name: &str) -> Option<Named> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = name.split_at(name.len() - digits);
        for Scope { names, ranges, .. } in self.scopes.iter().rev() {
            if let Some(named) = names.get(name) {
                return Some(*named);
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
        if *name == "_" {
            return Some(self.scratch());
        }
        match self.lookup(name)? {
            Named::Register { kind: RegisterKind::Predicate, .. } => None,
            Named::Register { number, .. } => Some(number),
            _ => None,
        }
    }

    /// A value that an instruction reads: register, literal or special register.
    pub fn source(&mut self, operand: &Operand) -> Option<Reg> {
        let (name, more) = match operand {
            Operand::Int(value) | Operand::F64(value) => return Some(self.constant(*value)),
            Operand::F32(bits) => return Some(self.constant(*bits as u64)),
            Operand::Name(name) => (name, 0),
            Operand::Sum(name, more) => (name, *more as u64),
            _ => return None,
        };
        match (self.lookup(name), more) {
            (Some(Named::Register { number, kind }), 0) if kind != RegisterKind::Predicate => Some(number),
            (None, 0) => self.special(name),
            (Some(Named::Variable { at, .. }), _) if at.base == Base::Zero => {
                Some(self.constant((at.offset as u64).wrapping_add(more)))
            }
            _ => None,
        }
    }

    /// The register that holds a special register's value.
    pub fn special(&mut self, name: &str) -> Option<Reg> {
        let special = Special::find(name)?;
        self.out.uses_grid_workspace |= name.starts_with("%envreg");
        if let Some((_, register)) = self.out.specials.iter().find(|(known, _)| *known == special) {
            return Some(*register);
        }
        let register = self.scratch();
        self.out.specials.push((special, register));
        Some(register)
    }

    /// `[base+offset]`: of a register, or of a variable that is named.
    pub fn address(&mut self, operand: &Operand) -> Option<Address> {
        let Operand::Address(base, offset) = operand else { return None };
        let Some(name) = base else { return Some(Address { base: Base::Zero, offset: *offset }) };
        Some(match self.lookup(name)? {
            Named::Register { kind: RegisterKind::Predicate, .. } => return None,
            Named::Register { number, kind: RegisterKind::Narrow } => {
                Address { base: Base::Narrow(number), offset: *offset }
            }
            Named::Register { number, .. } => Address { base: Base::Register(number), offset: *offset },
            Named::Variable { at, .. } => Address { offset: at.offset.wrapping_add(*offset), ..at },
        })
    }

    pub fn sources(&mut self, operand: &Operand) -> Option<Vec<Reg>> {
        match operand {
            Operand::Vector(items) => items.iter().map(|item| self.source(item)).collect(),
            operand => Some(vec![self.source(operand)?]),
        }
    }

    pub fn destinations(&mut self, operand: &Operand) -> Option<Vec<Reg>> {
        match operand {
            Operand::Vector(items) => items.iter().map(|item| self.destination(item)).collect(),
            operand => Some(vec![self.destination(operand)?]),
        }
    }
}
