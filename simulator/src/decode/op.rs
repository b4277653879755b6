//! The operations of the typed program: what each instruction does, reads and writes.

use super::runtime::Call;
use crate::arith::{Alu, AtomOp, Extended, TestFn};
use crate::ptx::{Order, Scope, Space};

/// Number of a register of a function. Numbers from [`Function::registers`] on name [`Function::constants`].
pub type Reg = u32;
/// Number of a predicate register.
pub type Pred = u32;
/// No register, no predicate, no place.
pub const NONE: u32 = u32::MAX;

/// An address: base register (or [`NONE`]) plus offset.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub base: Reg,
    pub offset: i64,
    /// The base is a 32-bit register: so is the sum.
    pub narrow: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarReduce {
    Popc,
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    And,
    Or,
    Xor,
}

impl Bits {
    /// The operation on predicates, which are masks of lanes.
    pub fn of(self, a: u32, b: u32) -> u32 {
        match self {
            Bits::And => a & b,
            Bits::Or => a | b,
            Bits::Xor => a ^ b,
        }
    }
}

/// What is done with the asynchronous copies of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Those since the last commit become a group.
    Commit,
    /// Waits for all groups `but` the last few; without a number for all copies, in a group or not.
    Wait { but: Option<u32> },
}

/// The largest count of arrivals of an mbarrier.
pub const MOST_ARRIVALS: u64 = (1 << 20) - 1;

/// What is done with an mbarrier (PTX ISA 9.7.13.15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mbarrier {
    Init,
    Invalidate,
    /// `drop`: the thread will not come in the next phases either.
    Arrive {
        drop: bool,
    },
    /// Arrives once, and expects so many bytes more.
    ArriveExpecting {
        drop: bool,
    },
    ExpectBytes,
    CompleteBytes,
    /// Whether a phase is complete: that of a state, or of a parity.
    Test {
        parity: bool,
    },
}

/// What the function at the other end of a call is.
#[derive(Clone, Debug)]
pub enum Callee {
    Function(usize),
    /// Through a register that holds a function's address.
    Register(Reg),
    /// A function of the device runtime or the library, by name.
    Runtime(Call),
}

#[derive(Debug)]
pub enum Op {
    Alu {
        f: Alu,
        d: Reg,
        s: [Reg; 4],
    },
    /// Arithmetic with the carry flag, which has a register of its own.
    Extended {
        how: Extended,
        d: Reg,
        s: [Reg; 3],
        carry: Reg,
    },
    /// `setp`: `d = test op combine`, `q = !test op combine`.
    Test {
        f: TestFn,
        d: Pred,
        q: Pred,
        a: Reg,
        b: Reg,
        combine: Option<(Bits, Pred, bool)>,
    },
    /// `setp` of two halves: `d` from the lower ones, `q` from the upper ones.
    TestHalves {
        f: TestFn,
        d: Pred,
        q: Pred,
        a: Reg,
        b: Reg,
        combine: Option<(Bits, Pred, bool)>,
    },
    /// `lop3` that also says whether its result has any bit: `p = (d != 0) op q`.
    LogicTest {
        f: Alu,
        d: Reg,
        p: Pred,
        s: [Reg; 4],
        bits: Bits,
        q: Pred,
        negated: bool,
    },
    /// `set`: all ones (or 1.0) where the comparison holds.
    Set {
        f: TestFn,
        d: Reg,
        a: Reg,
        b: Reg,
        holds: u64,
    },
    Select {
        d: Reg,
        a: Reg,
        b: Reg,
        p: Pred,
        negated: bool,
    },
    /// Logic on predicates; `b` is [`NONE`] for a copy.
    Logic {
        bits: Bits,
        d: Pred,
        a: Pred,
        not_a: bool,
        b: Pred,
        not_b: bool,
    },
    PredConst {
        d: Pred,
        value: bool,
    },
    /// `testp` and `isspacep`: a question about the bits of one register.
    Classify {
        d: Pred,
        a: Reg,
        class: fn(u64) -> bool,
    },
    /// `mov` of a wide register from several narrow ones, and back.
    Pack {
        d: Reg,
        parts: Vec<Reg>,
        bits: u32,
    },
    Unpack {
        parts: Vec<Reg>,
        a: Reg,
        bits: u32,
    },
    /// The address of a local variable: the activation's base plus an offset.
    LocalAddress {
        d: Reg,
        offset: u64,
    },
    /// The address of a module variable, or of a function.
    GlobalAddress {
        d: Reg,
        global: usize,
        offset: i64,
    },
    Load {
        space: Space,
        d: Vec<Reg>,
        bytes: u32,
        signed: bool,
        at: Address,
        order: Order,
        scope: Scope,
    },
    Store {
        space: Space,
        s: Vec<Reg>,
        bytes: u32,
        at: Address,
        order: Order,
        scope: Scope,
    },
    /// Call parameters and return values, which live in the activation.
    LoadFrame {
        d: Vec<Reg>,
        bytes: u32,
        signed: bool,
        offset: usize,
    },
    StoreFrame {
        s: Vec<Reg>,
        bytes: u32,
        offset: usize,
    },
    Atomic {
        space: Space,
        op: AtomOp,
        bytes: u32,
        d: Reg,
        at: Address,
        b: Reg,
        c: Reg,
        order: Order,
        scope: Scope,
    },
    Fence {
        scope: Scope,
    },
    Barrier {
        id: Reg,
        count: Reg,
        arrive: bool,
        reduce: Option<(BarReduce, Reg, Pred, bool)>,
    },
    WarpBarrier {
        mask: Reg,
    },
    Shuffle {
        mode: Shuffle,
        d: Reg,
        p: Pred,
        a: Reg,
        b: Reg,
        c: Reg,
        mask: Reg,
    },
    Vote {
        mode: Vote,
        d: u32,
        p: Pred,
        negated: bool,
        mask: Reg,
    },
    Match {
        all: bool,
        d: Reg,
        p: Pred,
        a: Reg,
        wide: bool,
        mask: Reg,
    },
    Reduce {
        op: AtomOp,
        d: Reg,
        a: Reg,
        mask: Reg,
    },
    /// `cp.async`: `bytes` bytes from global to shared memory, of which `given` (or, without it, all) come from there
    /// and the others are zero; none do where the predicate `ignored` holds.
    CopyAsync {
        to: Address,
        from: Address,
        bytes: u32,
        given: Reg,
        ignored: Option<(Pred, bool)>,
    },
    CopyGroup(Copies),
    /// `cp.async.mbarrier.arrive`; whether the mbarrier counts on this arrival already (`.noinc`).
    CopyArrive {
        space: Space,
        at: Address,
        counted: bool,
    },
    /// `a` is a count, or the state or parity that is waited for; `d` a state, or a predicate.
    Mbarrier {
        how: Mbarrier,
        space: Space,
        d: u32,
        at: Address,
        a: Reg,
        relaxed: bool,
    },
    ActiveMask {
        d: Reg,
    },
    Clock {
        d: Reg,
    },
    Branch {
        target: u32,
        reconverge: u32,
    },
    BranchIndexed {
        index: Reg,
        targets: Vec<u32>,
        reconverge: u32,
    },
    Call {
        callee: Callee,
        args: Vec<usize>,
        ret: Option<usize>,
    },
    Return,
    Exit,
    Trap,
    Nop,
    /// What the simulator does not know, as written.
    Unsupported(Box<str>),
}

/// Bases of [`Address`] that are no registers: a module variable, and the activation's local memory.
pub const GLOBAL_BASE: u32 = 1 << 29;
pub const LOCAL_BASE: u32 = (1 << 29) - 1;

impl Op {
    /// Calls `f` with every (non-predicate) register that stands in the operation.
    pub fn registers_mut(&mut self, f: &mut impl FnMut(&mut Reg)) {
        match self {
            Op::Alu { d, s, .. } => {
                f(d);
                s.iter_mut().for_each(f);
            }
            Op::LogicTest { d, s, .. } => {
                f(d);
                s.iter_mut().for_each(f);
            }
            Op::Test { a, b, .. } | Op::TestHalves { a, b, .. } => {
                f(a);
                f(b);
            }
            Op::Set { d, a, b, .. } | Op::Select { d, a, b, .. } => {
                f(d);
                f(a);
                f(b);
            }
            Op::Extended { d, s, carry, .. } => {
                f(d);
                f(carry);
                s.iter_mut().for_each(f);
            }
            Op::Classify { a, .. } => f(a),
            Op::Pack { d, parts, .. } => {
                f(d);
                parts.iter_mut().for_each(f);
            }
            Op::Unpack { parts, a, .. } => {
                f(a);
                parts.iter_mut().for_each(f);
            }
            Op::Load { d, at, .. } => {
                d.iter_mut().for_each(&mut *f);
                f(&mut at.base);
            }
            Op::Store { s, at, .. } => {
                s.iter_mut().for_each(&mut *f);
                f(&mut at.base);
            }
            Op::LoadFrame { d: parts, .. } | Op::StoreFrame { s: parts, .. } => parts.iter_mut().for_each(f),
            Op::Atomic { d, at, b, c, .. } => {
                f(d);
                f(&mut at.base);
                f(b);
                f(c);
            }
            Op::Barrier { id, count, reduce, .. } => {
                f(id);
                f(count);
                if let Some((BarReduce::Popc, d, ..)) = reduce {
                    f(d);
                }
            }
            Op::WarpBarrier { mask } => f(mask),
            Op::CopyAsync { to, from, given, .. } => {
                f(&mut to.base);
                f(&mut from.base);
                f(given);
            }
            Op::CopyArrive { at, .. } => f(&mut at.base),
            Op::Mbarrier { how, d, at, a, .. } => {
                if !matches!(how, Mbarrier::Test { .. }) {
                    f(d);
                }
                f(&mut at.base);
                f(a);
            }
            Op::Shuffle { d, a, b, c, mask, .. } => {
                for register in [d, a, b, c, mask] {
                    f(register);
                }
            }
            Op::Vote { mask, .. } => f(mask),
            Op::Match { d, a, mask, .. } | Op::Reduce { d, a, mask, .. } => {
                f(d);
                f(a);
                f(mask);
            }
            Op::BranchIndexed { index, .. } => f(index),
            Op::Call { callee: Callee::Register(register), .. } => f(register),
            _ => {}
        }
    }
}
