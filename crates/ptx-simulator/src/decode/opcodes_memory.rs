//! Opcodes that touch memory -> operations: loads, stores, atomics, and conversions of addresses.

use super::modifiers::Modifiers;
use super::names::{Named, Names};
use super::op::*;
use crate::arith::{self, AtomOp};
use crate::memory;
use crate::observe::{FenceKind, Use};
use crate::ptx::{self, Operand, Order, Scope, Space};

/// The words of an operand's space, by the instructions that take them.
const LOADED: [&str; 9] = [
    "const",
    "global",
    "local",
    "param",
    "param::entry",
    "param::func",
    "shared",
    "shared::cta",
    "shared::cluster",
];
const STORED: [&str; 7] =
    ["global", "local", "param", "param::func", "shared", "shared::cta", "shared::cluster"];
const UPDATED: [&str; 4] = ["global", "shared", "shared::cta", "shared::cluster"];
const CONVERTED: [&str; 8] =
    ["const", "global", "local", "param", "param::entry", "shared", "shared::cta", "shared::cluster"];

/// What caches are told, which changes nothing that a program can see (PTX ISA 9.7.9.1 and 9.7.9.2).
const LOADS_CACHE: [&str; 5] = ["ca", "cg", "cs", "lu", "cv"];
const STORES_CACHE: [&str; 4] = ["wb", "cg", "cs", "wt"];
const EVICTS_FROM_L1: [&str; 5] =
    ["L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"];
const EVICTS_FROM_L2: [&str; 3] = ["L2::evict_normal", "L2::evict_first", "L2::evict_last"];
pub const PREFETCHES: [&str; 3] = ["L2::64B", "L2::128B", "L2::256B"];

/// What an atomic operation does.
const UPDATES: [&str; 10] = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"];

/// What the words of a load or a store say.
struct Access<'a> {
    ty: &'a str,
    bytes: u32,
    elements: usize,
    space: Option<Space>,
    order: Order,
    scope: Scope,
}

impl<'a> Access<'a> {
    fn of(words: &mut Modifiers<'a>, orders: &[(&str, Order)], spaces: &[&str]) -> Option<Access<'a>> {
        words.ignore(&EVICTS_FROM_L1);
        words.ignore(&EVICTS_FROM_L2);
        let ty = words.ty();
        let elements = words.choose(&[("v2", 2), ("v4", 4)]).unwrap_or(1);
        let space = words.space(spaces);
        let (order, scope) = order_and_scope(words, orders)?;
        let ty = ty?;
        let bytes = ptx::type_bytes(ty).filter(|bytes| *bytes <= 8)? as u32;
        Some(Access { ty, bytes, elements, space, order, scope })
    }
}

/// The words for orders, by the instructions that take them.
const ORDERS_OF_LOADS: [(&str, Order); 5] = [
    ("weak", Order::Weak),
    ("nc", Order::ReadOnly),
    ("volatile", Order::Volatile),
    ("relaxed", Order::Relaxed),
    ("acquire", Order::Acquire),
];
const ORDERS_OF_STORES: [(&str, Order); 4] = [
    ("weak", Order::Weak),
    ("volatile", Order::Volatile),
    ("relaxed", Order::Relaxed),
    ("release", Order::Release),
];
const ORDERS_OF_ATOMS: [(&str, Order); 4] = [
    ("relaxed", Order::Relaxed),
    ("acquire", Order::Acquire),
    ("release", Order::Release),
    ("acq_rel", Order::AcquireRelease),
];
const ORDERS_OF_REDUCTIONS: [(&str, Order); 2] = [("relaxed", Order::Relaxed), ("release", Order::Release)];
const SCOPES: [(&str, Scope); 4] =
    [("cta", Scope::Cta), ("cluster", Scope::Cluster), ("gpu", Scope::Gpu), ("sys", Scope::System)];

/// The order of an access, one of `orders`, and its scope, which a strong one has to name.
fn order_and_scope(words: &mut Modifiers, orders: &[(&str, Order)]) -> Option<(Order, Scope)> {
    match words.choose(orders).unwrap_or(Order::Weak) {
        order @ (Order::Weak | Order::ReadOnly) => Some((order, Scope::Gpu)),
        Order::Volatile => Some((Order::Volatile, Scope::System)),
        order => {
            // Of memory that devices share: it is accessed as often as the program says, as all is here.
            words.ignore(&["mmio"]);
            Some((order, words.choose(&SCOPES)?))
        }
    }
}

/// The operands before the cache policy that `.L2::cache_hint` announces, which changes nothing that a
/// program can see.
pub fn without_policy<'o, 'a>(words: &mut Modifiers, o: &'o [Operand<'a>]) -> &'o [Operand<'a>] {
    match o.split_last() {
        Some((_policy, rest)) if words.eat("L2::cache_hint") => rest,
        _ => o,
    }
}

impl Names<'_> {
    /// `cvta.space` makes an address generic, `cvta.to.space` the other way round (PTX ISA 9.7.9.20).
    pub fn cvta(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let to = words.eat("to");
        let space = words.space(&CONVERTED);
        words.one_of(&["u32", "u64"])?;
        let window = memory::window(space?);
        let [d, a] = o else { return None };
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

    /// A fence without a word for its kind is `.acq_rel` (PTX ISA 9.7.13.4). A proxy fence orders nothing
    /// among accesses of the generic proxy, which are all that there are here.
    pub fn fence(words: &mut Modifiers) -> Option<Op> {
        if words.eat("proxy") {
            return Self::proxy_fence(words);
        }
        let kind = words.choose(&[
            ("sc", FenceKind::Sc),
            ("acq_rel", FenceKind::AcquireRelease),
            ("acquire", FenceKind::Acquire),
            ("release", FenceKind::Release),
        ]);
        if kind == Some(FenceKind::Release) {
            // What it releases is then only the initialisation of mbarriers; here it is everything.
            words.ignore(&["mbarrier_init"]);
        }
        let scope = words.choose(&SCOPES)?;
        Some(Op::Fence { scope, kind: kind.unwrap_or(FenceKind::AcquireRelease) })
    }

    /// `membar.gl` is `fence.sc.gpu`.
    pub fn membar(words: &mut Modifiers) -> Option<Op> {
        if words.eat("proxy") {
            return Self::proxy_fence(words);
        }
        let scope = words.choose(&[("cta", Scope::Cta), ("gl", Scope::Gpu), ("sys", Scope::System)])?;
        Some(Op::Fence { scope, kind: FenceKind::Sc })
    }

    fn proxy_fence(words: &mut Modifiers) -> Option<Op> {
        if words.one_of(&["alias", "async"])? == "async" {
            words.ignore(&["global", "shared::cta", "shared::cluster"]);
        }
        Some(Op::Nop {})
    }

    pub fn load(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        words.ignore(&LOADS_CACHE);
        words.ignore(&PREFETCHES);
        let o = without_policy(words, o);
        self.loaded(&Access::of(words, &ORDERS_OF_LOADS, &LOADED)?, o)
    }

    pub fn load_uniform(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        self.loaded(&Access::of(words, &[], &["global"])?, o)
    }

    fn loaded(&mut self, access: &Access, o: &[Operand]) -> Option<Op> {
        let [d, from] = o else { return None };
        let d = self.destinations(d)?;
        let (at, space) = self.place_of(access, from, d.len())?;
        let &Access { ty, bytes, order, scope, .. } = access;
        let signed = ty.starts_with('s');
        let used = Use::default();
        Some(Op::Load { space, d, bytes, signed, at, order, scope, used, follows: false, updates: false })
    }

    pub fn store(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        words.ignore(&STORES_CACHE);
        let o = without_policy(words, o);
        let access = Access::of(words, &ORDERS_OF_STORES, &STORED)?;
        let [to, s] = o else { return None };
        let s = self.sources(s)?;
        let (at, space) = self.place_of(&access, to, s.len())?;
        let Access { bytes, order, scope, .. } = access;
        Some(Op::Store { space, s, bytes, at, order, scope, updates: false })
    }

    /// Where a load or a store of `count` registers leads.
    fn place_of(&mut self, access: &Access, at: &Operand, count: usize) -> Option<(Address, Space)> {
        let space = self.space_of_access(access.space, at);
        Some((self.address(at)?, space)).filter(|_| count == access.elements)
    }

    /// The space of an access: where no word says it, that of the variable which the address names.
    fn space_of_access(&self, space: Option<Space>, at: &Operand) -> Space {
        let named = match at {
            Operand::Address(Some(name), _) => self.lookup(name),
            _ => None,
        };
        match (space, named) {
            (Some(space), _) | (None, Some(Named::Variable { space, .. })) => space,
            (None, _) => Space::Generic,
        }
    }

    pub fn atom(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let [d, rest @ ..] = o else { return None };
        let d = self.destination(d);
        self.atomic(words, &ORDERS_OF_ATOMS, d, rest)
    }

    pub fn red(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        self.atomic(words, &ORDERS_OF_REDUCTIONS, Some(NONE), o)
    }

    fn atomic(
        &mut self,
        words: &mut Modifiers,
        orders: &[(&str, Order)],
        d: Option<Reg>,
        o: &[Operand],
    ) -> Option<Op> {
        let ty = words.ty();
        let name = words.one_of(&UPDATES);
        let space = words.space(&UPDATED);
        let order = words.choose(orders).unwrap_or(Order::Relaxed);
        let scope = words.choose(&SCOPES).unwrap_or(Scope::Gpu);
        if ty.is_none_or(|ty| ty.contains("f16")) {
            // Denormals of halves are kept, and the word has to say so.
            words.ignore(&["noftz"]);
        }
        let o = without_policy(words, o);
        let ty = ty?;
        let op = atomic_op(name?, ty)?;
        let d = d?;
        let (at, b, c) = match (op, o) {
            (AtomOp::CompareSwap, [at, b, c]) => (at, b, self.source(c)?),
            (AtomOp::CompareSwap, _) => return None,
            (_, [at, b]) => (at, b, self.constant(0)),
            _ => return None,
        };
        let space = self.space_of_access(space, at);
        let at = self.address(at)?;
        let b = self.source(b)?;
        let bytes = ptx::type_bytes(ty)? as u32;
        Some(Op::Atomic { space, op, bytes, d, at, b, c, order, scope, looks: false })
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
