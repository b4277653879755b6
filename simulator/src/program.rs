//! The typed program: what `decode.rs` makes of a text, and what `exec.rs` runs. Names are register numbers here,
//! and opcodes are operations.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use super::alu::{Alu, Lanes, TestFn};
use super::bits::Extended;
use super::diagnostic::Diagnostic;
use super::float::Float;
use super::ptx::{Init, Space, Variable};

/// Number of a register of a function. Numbers from [`Function::registers`] on name [`Function::constants`].
pub type Reg = u32;
/// Number of a predicate register.
pub type Pred = u32;
/// No register, no predicate, no place.
pub const NONE: u32 = u32::MAX;

/// A decoded module.
#[derive(Debug)]
pub struct Program {
    pub name: String,
    pub functions: Vec<Function>,
    pub by_name: FxHashMap<String, usize>,
    /// Kernels in the order of the text.
    pub kernels: Vec<String>,
    /// Module variables in global and constant memory, in the order of their numbers.
    pub globals: Vec<Variable>,
    /// Source lines of the branches that decide whether a barrier is reached, by their numbers.
    pub watches: Vec<u32>,
    /// Line table: what [`Inst::loc`] points into.
    pub locs: Vec<Loc>,
}

/// A source line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    pub file: Arc<str>,
    pub line: u32,
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub is_entry: bool,
    /// Name, offset and bytes of each parameter, and the bytes of all.
    pub params: Vec<Param>,
    pub param_bytes: usize,
    pub returns: Option<Param>,
    pub code: Vec<Inst>,
    pub registers: usize,
    pub predicates: usize,
    pub constants: Vec<Lanes>,
    /// Registers that hold the thread's place, filled when a warp starts: `%tid.x` and the like.
    pub places: Vec<(Place, Reg)>,
    /// Bytes of local memory and of call parameters that an activation needs, a lane.
    pub local_bytes: usize,
    pub frame_bytes: usize,
    /// Bytes of static shared memory, and the alignment the dynamic part needs.
    pub shared_bytes: usize,
    /// The shared variables that the kernel sees, by the numbers that their addresses have.
    pub shared: Vec<super::shared::Variable>,
    pub uses_grid_workspace: bool,
    /// For a barrier, or a call of a function with one, by its place: the watched branches that it lies behind, and
    /// whether on the taken side.
    pub barrier_sites: FxHashMap<u32, Vec<(u32, bool)>>,
    /// Functions called directly.
    pub calls: Vec<usize>,
    /// The first thing that could not be decoded.
    pub unsupported: Option<Diagnostic>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub offset: usize,
    pub bytes: usize,
    /// The PTX type without the dot (`u64`); of one element where the parameter is an array.
    pub kind: String,
}

impl Param {
    pub fn new(variable: &super::ptx::Variable, offset: usize) -> Param {
        Param { name: variable.name.clone(), offset, bytes: variable.bytes(), kind: variable.kind.clone() }
    }
}

/// Special registers that do not change while a warp runs (PTX ISA 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    LaneId,
    WarpId,
    NWarpId,
    GridId,
    LaneMask(std::cmp::Ordering, bool),
    /// `%envreg1` and `%envreg2`: the halves of the address of a cooperative grid's workspace.
    Workspace(u32),
    DynamicSharedSize,
    TotalSharedSize,
    Zero,
}

#[derive(Debug)]
pub struct Inst {
    pub op: Op,
    /// The predicate that guards it, or [`NONE`].
    pub guard: Pred,
    pub negated: bool,
    /// Number of the branch among those that decide whether a barrier is reached, or [`NONE`].
    pub watch: u32,
    /// Line in the PTX text.
    pub line: u32,
    /// Index into [`Program::locs`], or [`NONE`].
    pub loc: u32,
}

/// An address: base register (or [`NONE`]) plus offset.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub base: Reg,
    pub offset: i64,
    /// The base is a 32-bit register: so is the sum.
    pub narrow: bool,
}

/// Memory order and scope of an access (PTX ISA 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Weak,
    Volatile,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Cta,
    Gpu,
    System,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AtomOp {
    Add,
    AddFloat(Float),
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
    Exchange,
    CompareSwap,
    Inc,
    Dec,
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

/// What is done with the asynchronous copies of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Those since the last commit become a group.
    Commit,
    /// Waits for all groups `but` the last few; without a number for all copies, in a group or not.
    Wait { but: Option<u32> },
}

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
    Runtime(super::runtime::Call),
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

/// Addresses of functions: this plus the function's number. Nothing else lies there.
pub const FUNCTION_WINDOW: u64 = 0x08 << 56;

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

/// The bytes at the start of a module variable that its initialiser gives, the others being 0; symbols are filled in when the module is loaded.
pub fn initial_bytes(variable: &Variable, resolve: impl Fn(&str, bool) -> Option<u64>) -> Vec<u8> {
    let scalar = if variable.init.len() > variable.count {
        variable.element / (variable.init.len() / variable.count.max(1)).max(1)
    } else {
        variable.element
    };
    let mut bytes = vec![0u8; (variable.init.len() * scalar).min(variable.bytes())];
    for (i, init) in variable.init.iter().enumerate() {
        let value = match init {
            Init::Number(value) => *value,
            Init::Symbol { name, offset, generic } => {
                resolve(name, *generic).unwrap_or(0).wrapping_add(*offset as u64)
            }
        };
        let start = i * scalar;
        let width = scalar.min(8);
        if let Some(slot) = bytes.get_mut(start..start + width) {
            slot.copy_from_slice(&value.to_le_bytes()[..width]);
        }
    }
    bytes
}
