//! The operations of the typed program: what each instruction does, reads and writes.

use super::runtime::Call;
use crate::arith::{Alu, AtomOp, Extended, Lanes, Mma, Spread, Test, Tile};
use crate::observe::{FenceKind, Use};
use crate::ptx::{Order, Scope, Space};

/// Number of a register of a function.
pub type Reg = u32;
/// Number of a predicate register.
pub type Pred = u32;
/// No register, no predicate, no place.
pub const NONE: u32 = u32::MAX;

/// Until [`CONSTANT`], numbers name registers; from there on
/// [`Function::constants`](super::program::Function::constants).
pub const CONSTANT: Reg = 1 << 30;

/// A predicate that is read, and whether it is negated.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    pub p: Pred,
    pub negated: bool,
}

/// What the offset of an address counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// Nothing: the offset is the address, as it is of a shared variable and of a kernel's parameter.
    Zero,
    Register(Reg),
    /// A 32-bit register; the sum has 32 bits too.
    Narrow(Reg),
    /// A variable of the module, by its number.
    Global(u32),
    /// The local memory of the function that runs.
    Local,
    /// Behind the local memory: the parameters of the function that runs, and those of its calls.
    Frame,
}

impl Base {
    /// The register that it is, if it is one.
    pub fn register(self) -> Option<Reg> {
        match self {
            Base::Register(register) | Base::Narrow(register) => Some(register),
            Base::Zero | Base::Global(_) | Base::Local | Base::Frame => None,
        }
    }
}

/// An address: base plus offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Address {
    pub base: Base,
    pub offset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

impl Shuffle {
    /// The lane a shuffle reads from, and whether that lies in the lane's own segment (PTX ISA 9.7.9.6). `c`
    /// holds the clamp in bits 0 to 4 and the segment mask in bits 8 to 12.
    pub fn source(self, lane: usize, b: &Lanes, c: &Lanes) -> (usize, bool) {
        let b = (b[lane] & 31) as i64;
        let c = c[lane];
        let lane = lane as i64;
        let clamp = (c & 31) as i64;
        let segment = (c >> 8 & 31) as i64;
        let most = (lane & segment) | (clamp & !segment);
        let least = lane & segment;
        let (from, in_range) = match self {
            Shuffle::Up => (lane - b, lane - b >= most),
            Shuffle::Down => (lane + b, lane + b <= most),
            Shuffle::Butterfly => (lane ^ b, lane ^ b <= most),
            Shuffle::Index => (least | (b & !segment), (least | (b & !segment)) <= most),
        };
        if in_range { (from as usize & 31, true) } else { (lane as usize, false) }
    }
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

/// The largest count of arrivals of an mbarrier.
pub const MAX_ARRIVALS: u64 = (1 << 20) - 1;

/// What is done with an mbarrier (PTX ISA 9.7.13.15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mbarrier {
    Init,
    Invalidate,
    /// `drop`: the thread will not come in the next phases either.
    Arrive {
        drop: bool,
    },
    /// `cp.async.mbarrier.arrive`: arrives when the thread's copies are done. With `counted` (`.noinc`) the
    /// mbarrier counts on this arrival; without, it is added to those that are waited for.
    ArriveAfterCopies {
        counted: bool,
    },
    /// Whether a phase is complete: that of a state, or of a parity.
    Test {
        parity: bool,
    },
}

/// What the function at the other end of a call is.
#[derive(Clone, Debug)]
pub enum Callee {
    Function(usize),
    /// The function whose address a register holds.
    Pointer,
    /// A function that the module does not define: the number of its name among the program's externals, and
    /// what it is in a kernel, if it is something there.
    External {
        name: u32,
        call: Option<Call>,
    },
}

/// What an operation does with a register or predicate that stands in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Reads,
    Writes,
    /// Reads it as the base of an address.
    Addresses,
    ReadsPredicate,
    WritesPredicate,
}

/// A part of an operation that names registers or predicates.
trait Operand {
    fn each(&self, role: Role, visit: &mut impl FnMut(Role, u32));
}

impl Operand for u32 {
    #[inline(always)]
    fn each(&self, role: Role, visit: &mut impl FnMut(Role, u32)) {
        if *self != NONE {
            visit(role, *self);
        }
    }
}

impl Operand for [Reg] {
    #[inline(always)]
    fn each(&self, role: Role, visit: &mut impl FnMut(Role, u32)) {
        for register in self.iter() {
            visit(role, *register);
        }
    }
}

impl Operand for Address {
    #[inline(always)]
    fn each(&self, role: Role, visit: &mut impl FnMut(Role, u32)) {
        self.base.register().each(role, visit);
    }
}

impl<T: Operand> Operand for Option<T> {
    #[inline(always)]
    fn each(&self, role: Role, visit: &mut impl FnMut(Role, u32)) {
        if let Some(operand) = self {
            operand.each(role, visit);
        }
    }
}

impl Operand for Guard {
    #[inline(always)]
    fn each(&self, role: Role, visit: &mut impl FnMut(Role, u32)) {
        self.p.each(role, visit);
    }
}

/// The operations. Each field says whether it is `what` is to be done, or which [`Role`] it has as an
/// operand, so that no instruction can be added without it: [`Op::operands`] is made from the same lines.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident { $($role:ident $field:ident: $type:ty),* $(,)? })*) => {
        #[derive(Debug)]
        pub enum Op {
            $($(#[$doc])* $name { $($field: $type),* },)*
        }

        impl Op {
            /// Calls `visit` with every register and predicate that stands in the operation.
            #[inline]
            pub fn operands(&self, mut visit: impl FnMut(Role, u32)) {
                match self {
                    $(Op::$name { $($field),* } => {
                        $(operations!(@ $role $field visit);)*
                    })*
                }
            }
        }
    };
    (@ what $field:ident $visit:ident) => {
        let _ = $field;
    };
    (@ $role:ident $field:ident $visit:ident) => {
        $field.each(Role::$role, &mut $visit)
    };
}

operations! {
    Alu { what f: Alu, Writes d: Reg, Reads s: [Reg; 4], what spread: Spread }
    /// Arithmetic with the carry flag, which has a register of its own.
    Extended {
        what how: Extended, Writes d: Reg, Reads s: [Reg; 3], Reads carry_in: Reg, Writes carry_out: Reg,
    }
    /// `setp`: `d = test op combine`, `q = !test op combine`.
    Test {
        what f: Test, WritesPredicate d: Pred, WritesPredicate q: Pred, Reads a: Reg, Reads b: Reg,
        what bits: Bits, ReadsPredicate combine: Option<Guard>,
    }
    /// `set`: all ones (or 1.0) where the comparison holds.
    Set { what f: Test, Writes d: Reg, Reads a: Reg, Reads b: Reg, what holds: u64 }
    /// `a` where `p` holds, else `b`.
    Select { Writes d: Reg, Reads a: Reg, Reads b: Reg, ReadsPredicate p: Guard }
    /// Logic on predicates; without `b` a copy.
    Logic {
        what bits: Bits, WritesPredicate d: Pred, ReadsPredicate a: Guard,
        ReadsPredicate b: Option<Guard>,
    }
    /// `testp` and `isspacep`: a question about the bits of one register.
    Classify { WritesPredicate d: Pred, Reads a: Reg, what class: fn(u64) -> bool }
    /// `mov` of a wide register from several narrow ones, of this many bits each.
    Pack { Writes d: Reg, Reads parts: Vec<Reg>, what bits: u32 }
    /// `mov` of a wide register into several narrow ones.
    Unpack { Writes parts: Vec<Reg>, Reads a: Reg, what bits: u32 }
    /// The address of a local variable or one of the module.
    AddressOf { Writes d: Reg, Addresses at: Address }
    /// `follows`: whether what becomes of a value that is loaded has to be seen in the run (`uses.rs`).
    /// `updates`: whether this is half of an update (`updates.rs`).
    Load {
        what space: Space, Writes d: Vec<Reg>, what bytes: u32, what signed: bool, Addresses at: Address,
        what order: Order, what scope: Scope, what used: Use, what follows: bool,
        what updates: bool,
    }
    Store {
        what space: Space, Reads s: Vec<Reg>, what bytes: u32, Addresses at: Address, what order: Order,
        what scope: Scope, what updates: bool,
    }
    Atomic {
        what space: Space, what op: AtomOp, what bytes: u32, Writes d: Reg, Addresses at: Address,
        Reads b: Reg, Reads c: Reg, what order: Order, what scope: Scope, what looks: bool,
    }
    Fence { what scope: Scope, what kind: FenceKind }
    /// A block barrier. `d` takes the number of threads for which `p` holds, `q` whether it holds for all or
    /// for any.
    Barrier {
        Reads id: Reg, Reads count: Reg, what arrive: bool, what reduce: Option<BarReduce>, Writes d: Reg,
        WritesPredicate q: Pred, ReadsPredicate p: Option<Guard>,
    }
    /// The barrier of a cluster, in two halves.
    ClusterArrive { what releases: bool }
    ClusterWait {}
    /// `mapa`: where the same shared variable lies in the block of a rank; `own`: that of this one.
    MapShared { Writes d: Reg, Reads a: Reg, Reads rank: Reg, Reads own: Reg }
    WarpBarrier { Reads mask: Reg }
    Shuffle {
        what mode: Shuffle, Writes d: Reg, WritesPredicate p: Pred, Reads a: Reg, Reads b: Reg, Reads c: Reg,
        Reads mask: Reg,
    }
    /// `d` takes the ballot, `q` any other result.
    Vote {
        what mode: Vote, Writes d: Reg, WritesPredicate q: Pred, ReadsPredicate p: Guard,
        Reads mask: Reg,
    }
    Match {
        what all: bool, Writes d: Reg, WritesPredicate p: Pred, Reads a: Reg, what wide: bool,
        Reads mask: Reg,
    }
    Reduce { what op: AtomOp, Writes d: Reg, Reads a: Reg, Reads mask: Reg }
    /// A product of matrices, plus a third.
    Mma {
        what how: Mma, Writes d: Vec<Reg>, Reads a: Vec<Reg>, Reads b: Vec<Reg>, Reads c: Vec<Reg>,
        Reads mask: Reg,
    }
    /// A part of a matrix between memory and registers: into `d`, or out of `s`; `halves`: room for what
    /// does not lie side by side.
    Tile {
        what tile: Tile, what space: Space, Writes d: Vec<Reg>, Reads s: Vec<Reg>, Addresses at: Address,
        Reads stride: Reg, what halves: [Reg; 2], Reads mask: Reg,
    }
    /// `cp.async`: `bytes` bytes from global to shared memory, of which `given` (or, without it, all) come
    /// from there and the others are zero.
    CopyAsync { Addresses to: Address, Addresses from: Address, what bytes: u32, Reads given: Reg }
    /// The copies since the last commit become a group.
    CopyCommit {}
    /// Waits for all groups `but` the last few; without a number for all copies, in a group or not.
    CopyWait { what but: Option<u32> }
    /// `a` is a count, or the state or parity that is waited for; `d` takes a state, `done` whether it is
    /// complete.
    Mbarrier {
        what how: Mbarrier, what space: Space, Writes d: Reg, WritesPredicate done: Pred,
        Addresses at: Address, Reads a: Reg, what relaxed: bool,
    }
    /// `griddepcontrol.wait`
    GridWait {}
    ActiveMask { Writes d: Reg }
    Clock { Writes d: Reg }
    Branch { what target: u32, what reconverge: u32 }
    BranchIndexed { Reads index: Reg, what targets: Vec<u32>, what reconverge: u32 }
    Call { what callee: Callee, Reads pointer: Reg, what args: Vec<usize>, what ret: Option<usize> }
    Return {}
    Exit {}
    Trap {}
    Nop {}
    /// What the simulator does not know, as written, and the word of it, if it is only one.
    Unsupported { what opcode: Box<str>, what word: Option<Box<str>> }
}

impl Op {
    /// Of an instruction that lanes execute together: the register with the mask that names them.
    pub fn members(&self) -> Option<Reg> {
        match self {
            Op::WarpBarrier { mask }
            | Op::Shuffle { mask, .. }
            | Op::Vote { mask, .. }
            | Op::Match { mask, .. }
            | Op::Reduce { mask, .. }
            | Op::Mma { mask, .. }
            | Op::Tile { mask, .. } => Some(*mask),
            _ => None,
        }
    }
}
