//! A loop that can never end: no way leads out of it, or each way out has a condition that is computed from
//! what no longer changes.
//!
//! What changes no more is a fixed point: every instruction that lanes may still come to and that writes a
//! register gives what is there already, if it reads nothing but such registers.

use rustc_hash::FxHashSet;

use super::activation::{Activation, source};
use super::registers;
use super::split::Split;
use super::warp::Warp;
use crate::arith::{Lanes, WARP, lanes};
use crate::decode::{CONSTANT, Callee, Function, Guard, Inst, NONE, Op, Program, Role, flow};
use crate::ptx::Order;

/// A loop that never ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forever {
    /// The instruction at which it is decided that the loop goes on.
    pub pc: usize,
    /// What the condition compares there, if there is one.
    pub compared: Option<[i64; 2]>,
}

/// Something that an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Location {
    Register(u32),
    Predicate(u32),
}

impl Warp {
    /// The innermost loop around the place of `split` that never ends, if there is one. `frozen`: what memory
    /// holds no longer changes either; then a loop that looks at memory to see whether to go on is another
    /// matter.
    pub fn forever(&self, split: &Split, program: &Program, frozen: bool) -> Option<Forever> {
        let activation = &self.activations[split.activation as usize];
        let function = &program.functions[activation.function];
        let pc = split.pc as usize;
        let at = Round { function, activation, mask: split.mask, pc, frozen };
        loops_around(&function.code, pc).iter().find_map(|body| at.forever(body))
    }
}

/// The lanes of a split with their registers.
struct Round<'a> {
    function: &'a Function,
    activation: &'a Activation,
    mask: u32,
    pc: usize,
    frozen: bool,
}

/// The instructions of a loop, and the one that leads back to its start.
struct Body {
    all: FxHashSet<usize>,
    back: usize,
}

/// The loops that hold an instruction, the smallest one first.
fn loops_around(code: &[Inst], pc: usize) -> Vec<Body> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); code.len()];
    for from in 0..code.len() {
        for to in flow::next(code, from).map(|to| to as usize).filter(|to| *to < code.len()) {
            before[to].push(from);
        }
    }
    let mut found = Vec::new();
    for start in 0..=pc {
        for &back in before[start].iter().filter(|back| **back >= start) {
            let mut all = FxHashSet::from_iter([start]);
            let mut open = vec![back];
            while let Some(pc) = open.pop() {
                if all.insert(pc) {
                    open.extend(&before[pc]);
                }
            }
            if all.contains(&pc) {
                found.push(Body { all, back });
            }
        }
    }
    found.sort_by_key(|body| body.all.len());
    found
}

impl Round<'_> {
    fn forever(&self, body: &Body) -> Option<Forever> {
        let code = &self.function.code;
        let (still, reached) = self.still(body);
        let is_call = |pc: &usize| matches!(&code[*pc].op, Op::Call { callee, .. } if !is_of_system(callee));
        if reached.iter().any(is_call) {
            return None;
        }
        let leaves = |pc: &usize| {
            let ends = matches!(code[*pc].op, Op::Exit {} | Op::Return {} | Op::Trap {});
            ends || flow::next(code, *pc).any(|next| !body.all.contains(&(next as usize)))
        };
        let mut exits: Vec<usize> = reached.iter().copied().filter(leaves).collect();
        exits.sort_unstable();
        let Some(&first) = exits.first() else {
            return Some(Forever { pc: body.back, compared: None });
        };
        let stays = |pc: &usize| self.ways(*pc, &still).all(|next| body.all.contains(&next));
        if !exits.iter().all(stays) {
            return None;
        }
        let test = self.test(first, body);
        let looks = |register: u32| {
            let is_loaded = |pc: &usize| {
                let mut writes = false;
                code[*pc].op.operands(|role, number| writes |= role == Role::Writes && number == register);
                writes && matches!(code[*pc].op, Op::Load { .. })
            };
            reached.iter().any(is_loaded)
        };
        if self.frozen && test.is_none_or(|operands| operands.into_iter().any(looks)) {
            return None;
        }
        let lane = self.mask.trailing_zeros() as usize;
        let value = |register| signed(source(self.activation, self.function, register)[lane]);
        Some(Forever { pc: first, compared: test.map(|operands| operands.map(value)) })
    }

    /// Where the lanes go on after the instruction at `pc`, now and later; a lane that ends goes nowhere in
    /// the code.
    fn ways(&self, pc: usize, still: &FxHashSet<Location>) -> impl Iterator<Item = usize> + use<> {
        let code = &self.function.code;
        let inst = &code[pc];
        let is_end = matches!(inst.op, Op::Exit {} | Op::Return {} | Op::Trap {});
        let mut ways: Vec<usize> = flow::next(code, pc).map(|next| next as usize).collect();
        if is_end {
            ways.push(code.len());
        }
        let is_decided = inst.guard != NONE && still.contains(&Location::Predicate(inst.guard));
        if is_decided && (is_end || matches!(inst.op, Op::Branch { .. })) {
            let taken = self.activation.holds(Guard { p: inst.guard, negated: inst.negated }) & self.mask;
            if taken == 0 {
                ways.retain(|next| *next == pc + 1);
            } else if taken == self.mask {
                ways.retain(|next| *next != pc + 1);
            }
        }
        ways.into_iter()
    }

    /// The instructions of the loop that lanes may still come to, if this is what changes no more.
    fn reached(&self, body: &Body, still: &FxHashSet<Location>) -> FxHashSet<usize> {
        let mut reached = FxHashSet::default();
        let mut open = vec![self.pc];
        while let Some(pc) = open.pop() {
            if body.all.contains(&pc) && reached.insert(pc) {
                open.extend(self.ways(pc, still));
            }
        }
        reached
    }

    /// What no longer changes while the loop goes on, and the instructions that lanes may still come to.
    fn still(&self, body: &Body) -> (FxHashSet<Location>, FxHashSet<usize>) {
        let code = &self.function.code;
        let mut still: FxHashSet<Location> = (0..self.function.registers as u32)
            .map(Location::Register)
            .chain((0..self.function.predicates as u32).map(Location::Predicate))
            .collect();
        loop {
            let before = still.len();
            let reached = self.reached(body, &still);
            for inst in reached.iter().map(|pc| &code[*pc]) {
                if !self.gives_the_same(inst, &still) {
                    inst.op.operands(|role, number| match role {
                        Role::Writes => _ = still.remove(&Location::Register(number)),
                        Role::WritesPredicate => _ = still.remove(&Location::Predicate(number)),
                        _ => {}
                    });
                }
            }
            if still.len() == before {
                return (still, reached);
            }
        }
    }

    /// Whether an instruction writes what is there already, and will.
    fn gives_the_same(&self, inst: &Inst, still: &FxHashSet<Location>) -> bool {
        let mut reads_still = true;
        inst.op.operands(|role, number| match role {
            Role::Reads | Role::Addresses if number < CONSTANT => {
                reads_still &= still.contains(&Location::Register(number));
            }
            Role::ReadsPredicate => reads_still &= still.contains(&Location::Predicate(number)),
            _ => {}
        });
        reads_still && self.same_now(&inst.op)
    }

    fn same_now(&self, op: &Op) -> bool {
        let source = |register| source(self.activation, self.function, register);
        let same = |register: u32, value: &Lanes| {
            register == NONE || lanes(self.mask).all(|lane| source(register)[lane] == value[lane])
        };
        let holds = |predicate: u32, value: u32| {
            predicate == NONE || (self.activation.predicates[predicate as usize] ^ value) & self.mask == 0
        };
        match op {
            Op::Alu { f, d, s, .. } => {
                let mut out: Lanes = [0; WARP];
                f.apply(&mut out, [source(s[0]), source(s[1]), source(s[2]), source(s[3])], self.mask);
                same(*d, &out)
            }
            Op::Test { f, d, q, a, b, bits, combine } => {
                let test = f.holds(source(*a), source(*b), self.mask);
                let given = combine.map(|p| self.activation.holds(p));
                let apply = |holds: u32| given.map_or(holds, |p| bits.of(holds, p));
                holds(*d, apply(test)) && holds(*q, apply(!test))
            }
            Op::Logic { .. } | Op::Select { .. } | Op::Set { .. } | Op::Classify { .. } => {
                let mut after = Activation {
                    registers: self.activation.registers.clone(),
                    predicates: self.activation.predicates.clone(),
                    ..Activation::default()
                };
                registers::execute(op, &mut after, self.function, self.mask);
                let mut is_same = true;
                op.operands(|role, number| match role {
                    Role::Writes => is_same &= same(number, &after.registers[number as usize]),
                    Role::WritesPredicate => {
                        is_same &= holds(number, after.predicates[number as usize]);
                    }
                    _ => {}
                });
                is_same
            }
            Op::Load { order: Order::Weak | Order::ReadOnly, .. } => self.frozen,
            _ => false,
        }
    }

    /// The registers that are compared for the guard of the instruction at `pc`.
    fn test(&self, pc: usize, body: &Body) -> Option<[u32; 2]> {
        let code = &self.function.code;
        let guard = code[pc].guard;
        body.all.iter().find_map(|pc| match code[*pc].op {
            Op::Test { d, q, a, b, combine: None, .. } if d == guard || q == guard => Some([a, b]),
            _ => None,
        })
    }
}

fn is_of_system(callee: &Callee) -> bool {
    matches!(callee, Callee::External { .. })
}

/// The number that a register of 32 or of 64 bits holds, with its sign.
fn signed(bits: u64) -> i64 {
    match u32::try_from(bits) {
        Ok(bits) => i64::from(bits.cast_signed()),
        Err(_) => bits.cast_signed(),
    }
}
