//! A function as the host's thread runs it: one value in each register, and its places resolved.
//!
//! A function's values lie side by side: its registers, its predicates (0 or 1), where its local variables
//! start, a place for what is not read, then its constants.

use crate::arith::{Alu, AtomOp, Common, LaneFn, Plain, Test};
use crate::decode::{Address, Base, CONSTANT, Callee, Function, Guard, Inst, NONE, Op, Pred, Reg};
use crate::memory::window;
use crate::ptx::Space;

/// A place among a function's values.
pub type Slot = u32;

/// A step. Those that a loop is made of come first.
#[derive(Debug)]
pub enum Step {
    Move {
        d: Slot,
        a: Slot,
    },
    Add64 {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Add32 {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Alu {
        f: fn(u64, u64, u64) -> u64,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    Load {
        base: Slot,
        d: Slot,
        offset: i64,
        bytes: u8,
        signed: bool,
    },
    Store {
        base: Slot,
        s: Slot,
        offset: i64,
        bytes: u8,
    },
    /// Loads and stores of 4 and 8 bytes.
    Load4 {
        base: Slot,
        d: Slot,
        offset: i64,
    },
    Load8 {
        base: Slot,
        d: Slot,
        offset: i64,
    },
    Store4 {
        base: Slot,
        s: Slot,
        offset: i64,
    },
    Store8 {
        base: Slot,
        s: Slot,
        offset: i64,
    },
    Test {
        f: fn(u64, u64) -> bool,
        d: Slot,
        a: Slot,
        b: Slot,
        negated: bool,
    },
    /// A comparison, and the jump if it holds (or if not).
    TestJump {
        f: fn(u64, u64) -> bool,
        d: Slot,
        a: Slot,
        b: Slot,
        to: u32,
        negated: bool,
        if_not: bool,
    },
    Jump {
        to: u32,
    },
    JumpIf {
        p: Slot,
        negated: bool,
        to: u32,
    },
    /// What is guarded, and is not done.
    SkipUnless {
        p: Slot,
        negated: bool,
        to: u32,
    },
    Select {
        d: Slot,
        a: Slot,
        b: Slot,
        p: Slot,
        negated: bool,
    },
    /// From or to the parameters of the function and of its calls.
    LoadParam {
        d: Slot,
        offset: u32,
        bytes: u8,
        signed: bool,
    },
    StoreParam {
        s: Slot,
        offset: u32,
        bytes: u8,
    },
    Rare(Box<Rare>),
    Call(Box<Site>),
    Return,
}

/// A step that is seldom met.
#[derive(Debug)]
pub enum Rare {
    Alu4 {
        f: LaneFn,
        d: Slot,
        s: [Slot; 4],
    },
    General {
        f: Alu,
        d: Slot,
        s: [Slot; 4],
    },
    Test {
        f: Test,
        d: Slot,
        q: Slot,
        a: Slot,
        b: Slot,
    },
    /// The original instruction, on values that are looked up by its names.
    Plain,
    LoadMany {
        base: Slot,
        offset: i64,
        d: Vec<Slot>,
        bytes: usize,
        signed: bool,
    },
    StoreMany {
        base: Slot,
        offset: i64,
        s: Vec<Slot>,
        bytes: usize,
    },
    LoadParams {
        offset: usize,
        d: Vec<Slot>,
        bytes: usize,
        signed: bool,
    },
    StoreParams {
        offset: usize,
        s: Vec<Slot>,
        bytes: usize,
    },
    Atomic {
        base: Slot,
        offset: i64,
        op: AtomOp,
        bytes: u32,
        d: Slot,
        b: Slot,
        c: Slot,
    },
    Switch {
        index: Slot,
        to: Vec<u32>,
    },
    Trap,
    Exit,
    Unsupported(Box<str>),
}

/// A call: whom, and where in the caller's frame its arguments and its result lie.
#[derive(Debug)]
pub struct Site {
    pub callee: Whom,
    pub args: Vec<usize>,
    pub ret: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub enum Whom {
    Function(usize),
    Pointer(Slot),
    /// A function that the module does not define, by its number.
    External(u32),
}

/// A function, ready to run.
#[derive(Debug, Default)]
pub struct Code {
    pub steps: Vec<Step>,
    /// The instruction that each step comes from.
    pub from: Vec<u32>,
    pub values: usize,
    /// What the last of the values are, from the first constant on.
    pub constants: Vec<u64>,
    pub first_constant: usize,
}

/// The slot of a register or predicate of a function.
pub fn slot_of(function: &Function, register: Reg) -> usize {
    let first_constant = function.registers + function.predicates + 2;
    match register {
        NONE => first_constant - 1,
        CONSTANT.. => first_constant + (register - CONSTANT) as usize,
        register => register as usize,
    }
}

/// The same of a predicate.
pub fn slot_of_predicate(function: &Function, p: Pred) -> usize {
    if p == NONE { slot_of(function, NONE) } else { function.registers + p as usize }
}

/// Spaces whose variables have plain addresses in the host's code.
const HOST_WINDOWS: [Space; 2] = [Space::Local, Space::Const];

/// An offset as a plain address has it.
fn without_window(offset: i64) -> i64 {
    HOST_WINDOWS.iter().fold(offset, |offset, space| offset & !(window(*space) as i64))
}

/// The places of a function's values.
struct Layout<'f> {
    function: &'f Function,
    globals: &'f [u64],
    constants: Vec<u64>,
}

impl Layout<'_> {
    fn predicate(&self, p: Pred) -> Slot {
        slot_of_predicate(self.function, p) as Slot
    }

    /// Where the function's local variables start.
    fn locals(&self) -> Slot {
        (self.function.registers + self.function.predicates) as u32
    }

    /// What is written there is not read.
    fn sink(&self) -> Slot {
        self.locals() + 1
    }

    fn first_constant(&self) -> Slot {
        self.locals() + 2
    }

    fn register(&self, register: Reg) -> Slot {
        slot_of(self.function, register) as Slot
    }

    fn constant(&mut self, value: u64) -> Slot {
        let known = self.constants.iter().position(|known| *known == value);
        let number = known.unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        });
        self.first_constant() + number as u32
    }

    /// What an address counts from, and how far. Addresses of local variables are those of the host's stack:
    /// they need no window.
    fn address(&mut self, at: &Address) -> Option<(Slot, i64)> {
        Some(match at.base {
            Base::Register(register) => (self.register(register), at.offset),
            Base::Zero => (self.constant(0), at.offset),
            Base::Global(variable) => {
                (self.constant(self.globals[variable as usize]), without_window(at.offset))
            }
            Base::Local => (self.locals(), without_window(at.offset)),
            Base::Narrow(_) | Base::Frame => return None,
        })
    }

    /// Whether a register is the constant by which addresses of local variables, or of constants, become
    /// generic.
    fn is_window(&self, register: Reg) -> bool {
        let constant = register.checked_sub(CONSTANT).and_then(|at| self.constants.get(at as usize));
        register != NONE && constant.is_some_and(|value| HOST_WINDOWS.map(window).contains(value))
    }
}

impl Code {
    /// Translates a function whose module's variables lie at these addresses.
    pub fn of(function: &Function, globals: &[u64]) -> Code {
        let constants = function.constants.iter().map(|lanes| lanes[0]).collect();
        let mut layout = Layout { function, globals, constants };
        let mut steps: Vec<Step> = Vec::with_capacity(function.code.len());
        let mut from = Vec::with_capacity(function.code.len());
        let mut starts = Vec::with_capacity(function.code.len() + 1);
        let targets = targets(&function.code);
        for (pc, inst) in function.code.iter().enumerate() {
            starts.push(steps.len() as u32);
            let jumps = matches!(inst.op, Op::Branch { .. });
            if inst.guard != NONE && !jumps {
                let p = layout.predicate(inst.guard);
                steps.push(Step::SkipUnless { p, negated: inst.negated, to: pc as u32 + 1 });
                from.push(pc as u32);
            }
            let step = step(&mut layout, inst);
            // A comparison just before its jump becomes one step with it.
            match (step, steps.last()) {
                (Step::JumpIf { p, negated: if_not, to }, Some(Step::Test { f, d, a, b, negated }))
                    if *d == p && !targets[pc] && starts[pc - 1] + 1 == starts[pc] =>
                {
                    let (f, d, a, b, negated) = (*f, *d, *a, *b, *negated);
                    steps.pop();
                    from.pop();
                    starts[pc] = steps.len() as u32;
                    steps.push(Step::TestJump { f, d, a, b, to, negated, if_not });
                }
                (step, _) => steps.push(step),
            }
            from.push(pc as u32);
        }
        starts.push(steps.len() as u32);
        for step in &mut steps {
            match step {
                Step::Jump { to }
                | Step::JumpIf { to, .. }
                | Step::TestJump { to, .. }
                | Step::SkipUnless { to, .. } => *to = starts[*to as usize],
                Step::Rare(rare) => {
                    if let Rare::Switch { to, .. } = &mut **rare {
                        to.iter_mut().for_each(|to| *to = starts[*to as usize]);
                    }
                }
                _ => {}
            }
        }
        let first_constant = layout.first_constant() as usize;
        let values = first_constant + layout.constants.len();
        Code { steps, from, values, constants: layout.constants, first_constant }
    }
}

/// Whether each instruction is one that a jump leads to.
fn targets(code: &[Inst]) -> Vec<bool> {
    let mut is_target = vec![false; code.len() + 1];
    let mut mark = |to: u32| {
        if let Some(one) = is_target.get_mut(to as usize) {
            *one = true;
        }
    };
    for inst in code {
        match &inst.op {
            Op::Branch { target, .. } => mark(*target),
            Op::BranchIndexed { targets, .. } => targets.iter().for_each(|to| mark(*to)),
            _ => {}
        }
    }
    is_target
}

/// The step that an instruction is.
fn step(at: &mut Layout, inst: &Inst) -> Step {
    let rare = |rare: Rare| Step::Rare(Box::new(rare));
    match &inst.op {
        Op::Alu { f, d, s, .. } => alu(at, f, *d, s),
        Op::Test { f, d, q, a, b, combine: None, .. } => test(at, f, [*d, *q], [*a, *b]),
        Op::Select { d, a, b, p } => {
            let Guard { p, negated } = *p;
            let p = at.predicate(p);
            Step::Select { d: at.register(*d), a: at.register(*a), b: at.register(*b), p, negated }
        }
        Op::AddressOf { d, at: of } => {
            let d = at.register(*d);
            match at.address(of) {
                Some((base, 0)) => Step::Move { d, a: base },
                Some((base, offset)) => {
                    let b = at.constant(offset as u64);
                    Step::Add64 { d, a: base, b }
                }
                None => rare(Rare::Unsupported("an address of a parameter".into())),
            }
        }
        Op::Load { d, bytes, signed, at: from, .. } => load(at, d, (*bytes, *signed), from),
        Op::Store { s, bytes, at: to, .. } => store(at, s, *bytes, to),
        Op::Atomic { op, bytes, d, at: word, b, c, .. } => {
            let [d, b, c] = [*d, *b, *c].map(|register| at.register(register));
            let (op, bytes) = (*op, *bytes);
            match at.address(word) {
                Some((base, offset)) => rare(Rare::Atomic { base, offset, op, bytes, d, b, c }),
                None => rare(Rare::Unsupported("an atomic operation on a parameter".into())),
            }
        }
        Op::Branch { target, .. } if inst.guard == NONE => Step::Jump { to: *target },
        Op::Branch { target, .. } => {
            Step::JumpIf { p: at.predicate(inst.guard), negated: inst.negated, to: *target }
        }
        Op::BranchIndexed { index, targets, .. } => {
            rare(Rare::Switch { index: at.register(*index), to: targets.clone() })
        }
        Op::Call { callee, pointer, args, ret } => {
            let callee = match callee {
                Callee::Function(number) => Whom::Function(*number),
                Callee::Pointer => Whom::Pointer(at.register(*pointer)),
                Callee::External { name, .. } => Whom::External(*name),
            };
            Step::Call(Box::new(Site { callee, args: args.clone(), ret: *ret }))
        }
        Op::Return {} => Step::Return,
        Op::Exit {} => rare(Rare::Exit),
        Op::Trap {} => rare(Rare::Trap),
        Op::Fence { .. } | Op::Nop {} => Step::Move { d: at.sink(), a: at.sink() },
        Op::Unsupported { opcode, .. } => rare(Rare::Unsupported(opcode.clone())),
        _ => rare(Rare::Plain),
    }
}

fn alu(at: &mut Layout, f: &Alu, d: Reg, s: &[Reg; 4]) -> Step {
    let d = at.register(d);
    let common = if let Alu::Plain(f) = f { f.common } else { None };
    // All addresses of the host are plain.
    if matches!(common, Some(Common::Add64 | Common::Sub64)) && at.is_window(s[1]) {
        return Step::Move { d, a: at.register(s[0]) };
    }
    let s = s.map(|register| at.register(register));
    let [a, b, c, _] = s;
    match f {
        Alu::Plain(f) => match f.common {
            Some(Common::Move) => Step::Move { d, a },
            Some(Common::Add64) => Step::Add64 { d, a, b },
            Some(Common::Add32) => Step::Add32 { d, a, b },
            Some(Common::Sub64) | None => Step::Alu { f: f.one, d, a, b, c },
        },
        Alu::Rare(f) => Step::Rare(Box::new(Rare::Alu4 { f: *f, d, s })),
        f => Step::Rare(Box::new(Rare::General { f: *f, d, s })),
    }
}

fn test(at: &mut Layout, f: &Test, to: [Pred; 2], [a, b]: [Reg; 2]) -> Step {
    let [d, q] = to.map(|p| at.predicate(p));
    let a = at.register(a);
    let b = at.register(b);
    match f.plain() {
        Some(Plain { holds: f, exchanged, negated }) if to[1] == NONE => {
            let (a, b) = if exchanged { (b, a) } else { (a, b) };
            Step::Test { f, d, a, b, negated }
        }
        _ => Step::Rare(Box::new(Rare::Test { f: *f, d, q, a, b })),
    }
}

fn load(at: &mut Layout, d: &[Reg], (bytes, signed): (u32, bool), from: &Address) -> Step {
    let slots: Vec<Slot> = d.iter().map(|register| at.register(*register)).collect();
    if from.base == Base::Frame {
        let offset = from.offset as usize;
        return match slots[..] {
            [d] => Step::LoadParam { d, offset: offset as u32, bytes: bytes as u8, signed },
            _ => Step::Rare(Box::new(Rare::LoadParams { offset, d: slots, bytes: bytes as usize, signed })),
        };
    }
    let Some((base, offset)) = at.address(from) else {
        return Step::Rare(Box::new(Rare::Unsupported("an address of 32 bits".into())));
    };
    match (&slots[..], bytes, signed) {
        ([d], 4, false) => Step::Load4 { base, d: *d, offset },
        ([d], 8, _) => Step::Load8 { base, d: *d, offset },
        ([d], _, _) => Step::Load { base, d: *d, offset, bytes: bytes as u8, signed },
        _ => Step::Rare(Box::new(Rare::LoadMany { base, offset, d: slots, bytes: bytes as usize, signed })),
    }
}

fn store(at: &mut Layout, s: &[Reg], bytes: u32, to: &Address) -> Step {
    let slots: Vec<Slot> = s.iter().map(|register| at.register(*register)).collect();
    if to.base == Base::Frame {
        let offset = to.offset as usize;
        return match slots[..] {
            [s] => Step::StoreParam { s, offset: offset as u32, bytes: bytes as u8 },
            _ => Step::Rare(Box::new(Rare::StoreParams { offset, s: slots, bytes: bytes as usize })),
        };
    }
    let Some((base, offset)) = at.address(to) else {
        return Step::Rare(Box::new(Rare::Unsupported("an address of 32 bits".into())));
    };
    match (&slots[..], bytes) {
        ([s], 4) => Step::Store4 { base, s: *s, offset },
        ([s], 8) => Step::Store8 { base, s: *s, offset },
        ([s], _) => Step::Store { base, s: *s, offset, bytes: bytes as u8 },
        _ => Step::Rare(Box::new(Rare::StoreMany { base, offset, s: slots, bytes: bytes as usize })),
    }
}
