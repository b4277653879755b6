//! Opcodes that touch memory -> operations: loads, stores, atomics, and conversions of addresses.

use super::names::{Named, Names};
use super::op::*;
use crate::arith::{self, AtomOp};
use crate::memory;
use crate::observe::{FenceKind, Use};
use crate::ptx::{self, Operand, Order, Scope, Space};

impl Names<'_> {
    /// `cvta.space` makes an address generic, `cvta.to.space` the other way round (PTX ISA 9.7.9.20).
    pub fn cvta(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let to = words.get(1) == Some(&"to");
        let window = memory::window(words.iter().find_map(|word| Space::parse(word))?);
        let [d, a, ..] = o else { return None };
        let d = self.destination(d)?;
        if let Some(op) = self.address_of(d, a, if to { 0 } else { window }) {
            return Some(op);
        }
        let a = self.source(a)?;
        if window == 0 {
            return self.copy(d, a);
        }
        let window = self.constant(window);
        self.plain(&[if to { "sub" } else { "add" }, "u64"], d, &[a, window])
    }

    pub fn order_and_scope(words: &[&str]) -> (Order, Scope) {
        let has = |word: &str| words.contains(&word);
        let order = match () {
            _ if has("acq_rel") => Order::AcquireRelease,
            _ if has("acquire") => Order::Acquire,
            _ if has("release") => Order::Release,
            _ if has("relaxed") => Order::Relaxed,
            _ if has("volatile") => Order::Volatile,
            _ if has("nc") => Order::ReadOnly,
            _ => Order::Weak,
        };
        let scope = match () {
            _ if has("cta") => Scope::Cta,
            _ if has("cluster") => Scope::Cluster,
            _ if has("sys") || order == Order::Volatile => Scope::System,
            _ => Scope::Gpu,
        };
        (order, scope)
    }

    /// `membar.gl` is `fence.sc.gpu` (PTX ISA 9.7.13.4), and a fence without a word for its kind is
    /// `.acq_rel`. A proxy fence orders nothing among accesses of the generic proxy, which are all that
    /// there are here.
    pub fn fence(words: &[&str]) -> Op {
        if words.get(1) == Some(&"proxy") {
            return Op::Nop {};
        }
        let (order, scope) = Self::order_and_scope(words);
        let kind = match order {
            _ if words[0] == "membar" || words.contains(&"sc") => FenceKind::Sc,
            Order::Acquire => FenceKind::Acquire,
            Order::Release => FenceKind::Release,
            _ => FenceKind::AcquireRelease,
        };
        Op::Fence { scope, kind }
    }

    pub fn space_of(words: &[&str]) -> Space {
        words.iter().find_map(|word| Space::parse(word)).unwrap_or(Space::Generic)
    }

    /// The space of an access: where no word says it, that of the variable which the address names.
    fn space_of_access(&self, words: &[&str], at: &Operand) -> Space {
        match (Self::space_of(words), at) {
            (Space::Generic, Operand::Address(Some(name), _)) => match self.lookup(name) {
                Some(Named::Variable { space, .. }) => space,
                _ => Space::Generic,
            },
            (space, _) => space,
        }
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
                || Space::parse(word).is_some()
                || matches!(*word, "cta" | "gpu" | "sys" | "cluster")
                || word.starts_with("L1::")
                || word.starts_with("L2::")
        })
    }

    pub fn load(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let [d, from] = o else { return None };
        let d = self.destinations(d)?;
        let signed = words.last()?.starts_with('s');
        let (at, bytes, space, (order, scope)) = self.place_of(words, from, d.len())?;
        let used = Use::default();
        Some(Op::Load { space, d, bytes, signed, at, order, scope, used, follows: false, updates: false })
    }

    pub fn store(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let [to, s] = o else { return None };
        let s = self.sources(s)?;
        let (at, bytes, space, (order, scope)) = self.place_of(words, to, s.len())?;
        Some(Op::Store { space, s, bytes, at, order, scope, updates: false })
    }

    /// What a load and a store of `count` elements have in common: where, bytes of an element, space, order
    /// and scope.
    fn place_of(
        &mut self,
        words: &[&str],
        operand: &Operand,
        count: usize,
    ) -> Option<(Address, u32, Space, (Order, Scope))> {
        let bytes = ptx::type_bytes(words.last()?).filter(|bytes| *bytes <= 8)?;
        if !Self::known_modifiers(words, &[]) || count != Self::vector(words) {
            return None;
        }
        let space = self.space_of_access(words, operand);
        Some((self.address(operand)?, bytes as u32, space, Self::order_and_scope(words)))
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
        let op = atomic_op(name, ty)?;
        let (order, scope) = Self::order_and_scope(words);
        let order = if order == Order::Weak { Order::Relaxed } else { order };
        // `red` is `atom` without the first operand.
        let (d, o) = if returns { (self.destination(o.first()?)?, &o[1..]) } else { (NONE, o) };
        let at = self.address(o.first()?)?;
        let space = self.space_of_access(words, o.first()?);
        let b = self.source(o.get(1)?)?;
        let c = match o.get(2) {
            Some(operand) => self.source(operand)?,
            None => self.constant(0),
        };
        if o.len() != if op == AtomOp::CompareSwap { 3 } else { 2 } {
            return None;
        }
        let bytes = ptx::type_bytes(ty)? as u32;
        Some(Op::Atomic { space, op, bytes, d, at, b, c, order, scope })
    }
}

/// The operation of `atom` and `red` on values of a type.
pub fn atomic_op(name: &str, ty: &str) -> Option<AtomOp> {
    Some(match (name, ty) {
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
    })
}
