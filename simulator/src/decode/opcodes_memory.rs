//! Opcodes that touch memory -> operations: loads, stores, atomics, and conversions of addresses.

use super::names::{Named, Names};
use super::op::*;
use crate::arith::{self, AtomOp};
use crate::memory;
use crate::ptx::{self, Operand, Order, Scope, Space};

impl Names<'_> {
    /// `cvta.space` makes an address generic, `cvta.to.space` the other way round (PTX ISA 9.7.9.20).
    pub fn cvta(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let to = words.get(1) == Some(&"to");
        let space = words.iter().find_map(|word| Space::parse(word.split("::").next().unwrap_or(word)))?;
        let window = memory::window(space);
        let d = self.destination(o.first()?)?;
        let a = o.get(1)?;
        // The operand may be a variable's name, or a name plus an offset.
        let a = match a {
            Operand::Name(name) => match self.lookup(name) {
                Some(Named::Global { number }) => {
                    let offset = if to { 0 } else { window as i64 };
                    return Some(Op::GlobalAddress { d, global: number, offset });
                }
                Some(Named::Local { offset }) if !to => {
                    return Some(Op::LocalAddress { d, offset: offset.wrapping_add(window) });
                }
                _ => self.source(a)?,
            },
            _ => self.source(a)?,
        };
        if window == 0 {
            return self.copy(d, a);
        }
        let (f, _) = arith::select(&[if to { "sub" } else { "add" }, "u64"])?;
        let window = self.constant(window);
        let zero = self.constant(0);
        Some(Op::Alu { f, d, s: [a, window, zero, zero] })
    }

    fn order_and_scope(words: &[&str]) -> (Order, Scope) {
        let has = |word: &str| words.contains(&word);
        let order = match () {
            _ if has("acq_rel") => Order::AcquireRelease,
            _ if has("acquire") => Order::Acquire,
            _ if has("release") => Order::Release,
            _ if has("relaxed") => Order::Relaxed,
            _ if has("volatile") => Order::Volatile,
            _ => Order::Weak,
        };
        let scope = match () {
            _ if has("cta") => Scope::Cta,
            _ if has("sys") || order == Order::Volatile => Scope::System,
            _ => Scope::Gpu,
        };
        (order, scope)
    }

    pub fn space_of(words: &[&str]) -> Space {
        words
            .iter()
            .find_map(|word| Space::parse(word.split("::").next().unwrap_or(word)))
            .unwrap_or(Space::Generic)
    }

    /// Elements that an access moves.
    fn vector(words: &[&str]) -> usize {
        match () {
            _ if words.contains(&"v2") => 2,
            _ if words.contains(&"v4") => 4,
            _ => 1,
        }
    }

    fn known_modifiers(words: &[&str], more: &[&str]) -> bool {
        const CACHE: [&str; 17] = [
            "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "v2", "v4", "weak", "volatile", "relaxed",
            "acquire", "release", "acq_rel", "mmio",
        ];
        words.iter().skip(1).take(words.len().saturating_sub(2)).all(|word| {
            CACHE.contains(word)
                || more.contains(word)
                || Space::parse(word.split("::").next().unwrap_or(word)).is_some()
                || matches!(*word, "cta" | "gpu" | "sys" | "cluster")
                || word.starts_with("L1::")
                || word.starts_with("L2::")
        })
    }

    pub fn load(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let ty = *words.last()?;
        let bytes = ptx::type_bytes(ty)? as u32;
        if bytes > 8 || o.len() != 2 || !Self::known_modifiers(words, &[]) {
            return None;
        }
        let signed = ty.starts_with('s');
        let d = self.registers(&o[0], false)?;
        if d.len() != Self::vector(words) {
            return None;
        }
        let space = Self::space_of(words);
        let (order, scope) = Self::order_and_scope(words);
        if let Operand::Address(Some(name), offset) = &o[1] {
            match self.lookup(name) {
                Some(Named::Frame { offset: start, bytes: size }) => {
                    let offset = inside(start, size, *offset, bytes as usize * d.len())?;
                    return Some(Op::LoadFrame { d, bytes, signed, offset });
                }
                Some(Named::Global { .. }) | Some(Named::Local { .. }) => {
                    let at = self.variable_address(name, *offset)?;
                    return Some(Op::Load { space, d, bytes, signed, at, order, scope });
                }
                _ => {}
            }
        }
        let at = self.address(&o[1])?;
        Some(Op::Load { space, d, bytes, signed, at, order, scope })
    }

    /// The address of an access that names a global or local variable directly.
    pub fn variable_address(&self, name: &str, offset: i64) -> Option<Address> {
        match self.lookup(name)? {
            Named::Global { number } => {
                Some(Address { base: GLOBAL_BASE | number as u32, offset, narrow: false })
            }
            Named::Local { offset: start } => {
                Some(Address { base: LOCAL_BASE, offset: (start as i64).wrapping_add(offset), narrow: false })
            }
            _ => None,
        }
    }

    pub fn store(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let bytes = ptx::type_bytes(words.last()?)? as u32;
        if bytes > 8 || o.len() != 2 || !Self::known_modifiers(words, &[]) {
            return None;
        }
        let s = self.registers(&o[1], true)?;
        if s.len() != Self::vector(words) {
            return None;
        }
        let space = Self::space_of(words);
        let (order, scope) = Self::order_and_scope(words);
        if let Operand::Address(Some(name), offset) = &o[0] {
            match self.lookup(name) {
                Some(Named::Frame { offset: start, bytes: size }) => {
                    let offset = inside(start, size, *offset, bytes as usize * s.len())?;
                    return Some(Op::StoreFrame { s, bytes, offset });
                }
                Some(Named::Global { .. }) | Some(Named::Local { .. }) => {
                    let at = self.variable_address(name, *offset)?;
                    return Some(Op::Store { space, s, bytes, at, order, scope });
                }
                _ => {}
            }
        }
        let at = self.address(&o[0])?;
        Some(Op::Store { space, s, bytes, at, order, scope })
    }

    pub fn atomic(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let ty = *words.last()?;
        let returns = words[0] == "atom";
        let name = words[1..].iter().find(|word| {
            matches!(**word, "add" | "min" | "max" | "and" | "or" | "xor" | "exch" | "cas" | "inc" | "dec")
        })?;
        if !Self::known_modifiers(words, &[name, "noftz"]) {
            return None;
        }
        let op = match (*name, ty) {
            ("add", ty) if arith::format(ty).is_some() => {
                AtomOp::AddFloat(arith::select_float(&["add", "rn", ty])?.0)
            }
            ("add", "u32" | "s32" | "u64") => AtomOp::Add,
            ("min", "u32" | "u64") => AtomOp::MinU,
            ("min", "s32" | "s64") => AtomOp::MinS,
            ("max", "u32" | "u64") => AtomOp::MaxU,
            ("max", "s32" | "s64") => AtomOp::MaxS,
            ("and", "b32" | "b64") => AtomOp::And,
            ("or", "b32" | "b64") => AtomOp::Or,
            ("xor", "b32" | "b64") => AtomOp::Xor,
            ("exch", "b32" | "b64") => AtomOp::Exchange,
            ("cas", "b16" | "b32" | "b64") => AtomOp::CompareSwap,
            ("inc", "u32") => AtomOp::Inc,
            ("dec", "u32") => AtomOp::Dec,
            _ => return None,
        };
        let (order, scope) = Self::order_and_scope(words);
        let order = if order == Order::Weak { Order::Relaxed } else { order };
        // `red` is `atom` without the first operand.
        let (d, o) = if returns { (self.destination(o.first()?)?, &o[1..]) } else { (NONE, o) };
        let at = match o.first()? {
            Operand::Address(Some(name), offset)
                if matches!(self.lookup(name), Some(Named::Global { .. } | Named::Local { .. })) =>
            {
                self.variable_address(name, *offset)?
            }
            operand => self.address(operand)?,
        };
        let b = self.source(o.get(1)?)?;
        let c = match o.get(2) {
            Some(operand) => self.source(operand)?,
            None => self.constant(0),
        };
        if o.len() != if op == AtomOp::CompareSwap { 3 } else { 2 } {
            return None;
        }
        let bytes = ptx::type_bytes(ty)? as u32;
        Some(Op::Atomic { space: Self::space_of(words), op, bytes, d, at, b, c, order, scope })
    }
}

/// Where an access to a call's parameter lies in the activation, if it lies within the parameter.
fn inside(start: usize, size: usize, offset: i64, bytes: usize) -> Option<usize> {
    let offset = usize::try_from(offset).ok().filter(|offset| *offset <= size && bytes <= size - offset)?;
    Some(start + offset)
}
