//! What becomes of the value of a load.
//!
//! Whether it may be discarded, as far as the code shows it (`set_follows`). If it may, the run has to see
//! whether it is used, since a write that comes later may race with it (`check/reads.rs`).
//!
//! Of a strong one, volatile or relaxed: whether its thread waits for it, only decides by it, or goes on with
//! it (`set_uses`).
//!
//! A slice of the function, whatever the order of its instructions: what is computed from the value, through
//! registers, predicates, local variables and the parameters of calls.
//!
//! A decision shows where memory tells which way was taken: one way stores to global memory, the other
//! doesn't, and neither has an atomic, which would decide by itself, the value being a hint. Where one way
//! stores to the word that was read it depends on what: those who come too late may store the same.

use rustc_hash::{FxHashMap, FxHashSet};

use super::flow;
use super::op::{Address, Base, CONSTANT, NONE, Op, Pred, Reg, Role};
use super::program::Inst;
use crate::arith::AtomOp;
use crate::observe::Use;
use crate::ptx::{Order, Space};

/// What has been computed from one load.
#[derive(Default)]
struct Slice {
    /// Registers that hold the value, or something made of it; and those that only depend on a decision.
    values: FxHashSet<Reg>,
    decided: FxHashSet<Reg>,
    predicates: FxHashSet<Pred>,
    /// Local variables, and parameters of calls.
    locals: FxHashSet<(Base, i64)>,
    /// Whether shared memory may hold it: of a value from global memory, that is followed.
    follows_shared: bool,
    in_shared: bool,
}

/// Fills in `looks` of every atomic operation: whether some instruction takes what it returns.
pub fn set_looks(code: &mut [Inst]) {
    let mut taken = FxHashSet::default();
    for inst in code.iter() {
        inst.op.operands(|role, register| {
            if matches!(role, Role::Reads | Role::Addresses) {
                taken.insert(register);
            }
        });
    }
    for inst in code {
        if let Op::Atomic { d, looks, .. } = &mut inst.op {
            *looks = taken.contains(d);
        }
    }
}

/// Fills in `used` of every strong load.
pub fn set_uses(code: &mut [Inst]) {
    let loads: Vec<usize> = (0..code.len()).filter(|&pc| is_strong(&code[pc].op)).collect();
    if loads.is_empty() {
        return;
    }
    let own = stack(code);
    let mut uses: Vec<(Use, bool)> = loads.iter().map(|&pc| used(code, &own, pc)).collect();
    // A compiler may take the first look out of the loop that waits.
    for one in 0..loads.len() {
        let like = |other: usize| {
            let a = &code[loads[one]];
            let b = &code[loads[other]];
            a.loc == b.loc && a.loc != NONE
                || matches!((&a.op, &b.op),
                (Op::Load { at: a, .. }, Op::Load { at: b, .. }) if a == b)
        };
        if uses[one].1 && (0..loads.len()).any(|other| uses[other].0 == Use::Waits && like(other)) {
            uses[one].0 = Use::Waits;
        }
    }
    for (pc, (found, _)) in loads.into_iter().zip(uses) {
        if let Op::Load { used, .. } = &mut code[pc].op {
            *used = found;
        }
    }
}

/// Instructions that a value which may be discarded goes through, at most.
const MAX_STEPS: usize = 24;

/// Fills in `follows` of every load that a race or a doubt may be about: a plain one, or a strong one whose
/// thread goes on with the value.
pub fn set_follows(code: &mut [Inst]) {
    let counts = |op: &Op| {
        matches!(op, Op::Load { space: Space::Global | Space::Shared | Space::Generic, used, .. }
            if !is_strong(op) || *used == Use::GoesOn)
    };
    let loads: Vec<usize> = (0..code.len()).filter(|&pc| counts(&code[pc].op)).collect();
    let mut readers = Readers::default();
    for (pc, inst) in code.iter().enumerate() {
        if inst.guard != NONE {
            readers.of_predicates.entry(inst.guard).or_default().push(pc);
        }
        inst.op.operands(|role, number| match role {
            Role::Reads | Role::Addresses => readers.of_registers.entry(number).or_default().push(pc),
            Role::ReadsPredicate => readers.of_predicates.entry(number).or_default().push(pc),
            Role::Writes | Role::WritesPredicate => {}
        });
    }
    for at in loads {
        let may_be_discarded = readers.may_be_discarded(code, at);
        if let Op::Load { follows, .. } = &mut code[at].op {
            *follows = may_be_discarded;
        }
    }
}

/// Which instructions read which registers and predicates.
#[derive(Default)]
struct Readers {
    of_registers: FxHashMap<Reg, Vec<usize>>,
    of_predicates: FxHashMap<Pred, Vec<usize>>,
}

/// An instruction that reads what the one at `from` writes, and whether that is surely made from the value.
struct Step {
    pc: usize,
    from: usize,
    is_sure: bool,
}

/// What an instruction does with a value that comes from a load.
enum Fate {
    /// It computes something from it.
    Computes,
    /// What it gives may not depend on it: it takes another one, or its other operand decides.
    Selects,
    /// It uses it, whatever comes later.
    Uses,
    /// It compares it with what is there.
    Swaps,
    /// It puts it where it is not followed from here.
    Hides,
}

impl Readers {
    /// Whether a way leads from the load at `at` to the end of its function, or back to the load, on which
    /// nothing surely uses the value; or a compare-and-swap checks it. If the load is in a loop, a value that
    /// is carried from one round to the next counts as used.
    fn may_be_discarded(&self, code: &[Inst], at: usize) -> bool {
        let mut open: Vec<Step> = Vec::new();
        let mut done: FxHashSet<usize> = FxHashSet::default();
        let mut surely: FxHashSet<usize> = FxHashSet::default();
        let mut made: FxHashSet<usize> = FxHashSet::default();
        let mut uses: FxHashSet<usize> = FxHashSet::default();
        let is_in_loop = after(code, at).contains(&at);
        self.readers_of(&code[at].op, (at, true), &mut open);
        let mut is_carried = false;
        while let Some(Step { pc, from, is_sure }) = open.pop() {
            is_carried |= pc <= from;
            let is_new = done.insert(pc);
            let is_newly_sure = is_sure && surely.insert(pc);
            if !is_new && !is_newly_sure {
                continue;
            }
            if is_in_loop && pc <= from || done.len() > MAX_STEPS {
                return false;
            }
            let inst = &code[pc];
            match fate(&inst.op, &self.values(code, &done, at)) {
                Fate::Swaps => return true,
                Fate::Hides => return false,
                // An instruction under a predicate may not be executed.
                Fate::Uses if inst.guard == NONE && is_sure => _ = uses.insert(pc),
                Fate::Uses => {}
                Fate::Computes => {
                    let is_sure = is_sure && inst.guard == NONE;
                    if is_sure {
                        made.insert(pc);
                    }
                    self.readers_of(&inst.op, (pc, is_sure), &mut open);
                }
                Fate::Selects => self.readers_of(&inst.op, (pc, false), &mut open),
            }
        }
        let sure = self.values(code, &made, at);
        // The way of lanes that nothing has stopped.
        let mut way = vec![at + 1];
        let mut seen = FxHashSet::default();
        while let Some(pc) = way.pop() {
            let decides = done.contains(&pc) && is_decision(&code[pc], &sure);
            if uses.contains(&pc) || decides || !seen.insert(pc) {
                continue;
            }
            let mut next = flow::next(code, pc).map(|next| next as usize).peekable();
            let is_read_anew = pc == at && !is_carried;
            if is_read_anew || next.peek().is_none() || matches!(code[pc].op, Op::Exit {} | Op::Return {}) {
                return true;
            }
            way.extend(next.filter(|next| *next < code.len()));
        }
        false
    }

    /// Adds the instructions that read what `op`, at `pc`, writes.
    fn readers_of(&self, op: &Op, (from, is_sure): (usize, bool), open: &mut Vec<Step>) {
        op.operands(|role, number| {
            let readers = match role {
                Role::Writes => self.of_registers.get(&number),
                Role::WritesPredicate => self.of_predicates.get(&number),
                _ => None,
            };
            open.extend(readers.into_iter().flatten().map(|&pc| Step { pc, from, is_sure }));
        });
    }

    /// The registers and predicates that the load at `at` and the instructions of `done` write.
    fn values(&self, code: &[Inst], done: &FxHashSet<usize>, at: usize) -> Values {
        let mut values = Values::default();
        for pc in done.iter().copied().chain([at]) {
            code[pc].op.operands(|role, number| match role {
                Role::Writes => _ = values.registers.insert(number),
                Role::WritesPredicate => _ = values.predicates.insert(number),
                _ => {}
            });
        }
        values
    }
}

#[derive(Default)]
struct Values {
    registers: FxHashSet<Reg>,
    predicates: FxHashSet<Pred>,
}

/// What may be executed after the instruction at `at`; itself only where a loop leads back to it.
fn after(code: &[Inst], at: usize) -> FxHashSet<usize> {
    let next = |pc: usize| flow::next(code, pc).map(|next| next as usize).filter(|next| *next < code.len());
    let mut open: Vec<usize> = next(at).collect();
    let mut seen = FxHashSet::default();
    while let Some(pc) = open.pop() {
        if seen.insert(pc) {
            open.extend(next(pc));
        }
    }
    seen
}

/// Whether an instruction is executed or not, or where it leads, as the value says.
fn is_decision(inst: &Inst, values: &Values) -> bool {
    inst.guard != NONE && values.predicates.contains(&inst.guard)
}

fn fate(op: &Op, values: &Values) -> Fate {
    match op {
        Op::Atomic { op: AtomOp::CompareSwap, b, .. } if values.registers.contains(b) => Fate::Swaps,
        Op::Store { space: Space::Local | Space::Param, s, .. } => {
            let stores = s.iter().any(|s| values.registers.contains(s));
            if stores { Fate::Hides } else { Fate::Uses }
        }
        Op::Store { .. } | Op::Load { .. } | Op::Atomic { .. } => Fate::Uses,
        Op::Barrier { .. } | Op::Mbarrier { .. } | Op::CopyAsync { .. } | Op::Call { .. } => Fate::Uses,
        Op::Branch { .. } | Op::BranchIndexed { .. } | Op::Return {} | Op::Exit {} => Fate::Uses,
        Op::Select { .. } | Op::Logic { b: Some(_), .. } | Op::Test { combine: Some(_), .. } => Fate::Selects,
        op if op.members().is_some() => Fate::Uses,
        _ => Fate::Computes,
    }
}

fn is_strong(op: &Op) -> bool {
    matches!(op, Op::Load { space: Space::Global | Space::Shared | Space::Generic, order, .. }
        if !matches!(order, Order::Weak | Order::ReadOnly))
}

/// Registers with addresses of local variables.
fn stack(code: &[Inst]) -> FxHashSet<Reg> {
    let mut own = FxHashSet::default();
    loop {
        let before = own.len();
        for inst in code.iter().filter(|inst| matches!(inst.op, Op::Alu { .. } | Op::AddressOf { .. })) {
            let mut is_local = matches!(&inst.op, Op::AddressOf { at, .. } if at.base == Base::Local);
            inst.op.operands(|role, reg| is_local |= role == Role::Reads && own.contains(&reg));
            inst.op.operands(|role, reg| {
                if role == Role::Writes && is_local {
                    own.insert(reg);
                }
            });
        }
        if own.len() == before {
            return own;
        }
    }
}

/// What becomes of the load at `at`, and whether a branch depends on it.
fn used(code: &[Inst], own: &FxHashSet<Reg>, at: usize) -> (Use, bool) {
    let is_local = |at: &Address| match at.base {
        Base::Local | Base::Frame => true,
        Base::Register(register) | Base::Narrow(register) => own.contains(&register),
        Base::Zero | Base::Global(_) => false,
    };
    let follows_shared = matches!(code[at].op, Op::Load { space: Space::Global, .. });
    let mut slice = Slice { follows_shared, ..Slice::default() };
    code[at].op.operands(|role, reg| {
        if role == Role::Writes {
            slice.values.insert(reg);
        }
    });
    loop {
        let mut grows = false;
        for inst in code {
            grows |= slice.grow(inst, &is_local);
        }
        if !grows {
            break;
        }
    }
    let is_argument = |at: &Address| {
        let is = |offset: &usize| *offset as i64 == at.offset;
        at.base == Base::Frame
            && code.iter().any(|i| matches!(&i.op, Op::Call { args, .. } if args.iter().any(is)))
    };
    let goes_on = code.iter().any(|inst| {
        slice.reads(&inst.op).0
            && match &inst.op {
                Op::Store { space: Space::Shared, .. } if follows_shared => false,
                Op::Store { at, .. } => !is_local(at) || is_argument(at),
                // Whatever the order, these come to the same in the end; and a swap looks again.
                Op::Atomic { op, .. } => !matches!(
                    op,
                    AtomOp::MinU
                        | AtomOp::MinS
                        | AtomOp::MaxU
                        | AtomOp::MaxS
                        | AtomOp::And
                        | AtomOp::Or
                        | AtomOp::CompareSwap
                ),
                _ => false,
            }
    });
    let chosen = code.iter().any(|inst| {
        let Op::Store { at, space: Space::Global | Space::Generic, .. } = &inst.op else { return false };
        slice.reads(&inst.op).1 && !is_local(at)
    });
    let depends = |inst: &Inst| {
        inst.guard != NONE && slice.predicates.contains(&inst.guard)
            || matches!(&inst.op, Op::BranchIndexed { index, .. } if slice.values.contains(index))
    };
    let branches: Vec<usize> = (0..code.len()).filter(|&pc| depends(&code[pc])).collect();
    // A queue's head that is read and written in turn isn't waited for.
    let takes = |pc: usize| {
        matches!((&code[pc].op, &code[at].op), (Op::Store { at: to, .. }, Op::Load { at: from, .. })
            if to == from)
            && slice.reads(&code[pc].op).0
    };
    let comes_back = |branch: usize| {
        let mut back = ways(code, branch, false).into_iter().filter(|way| way.contains(&at)).peekable();
        back.peek().is_some() && !back.any(|way| way.into_iter().any(takes))
    };
    let used = match () {
        _ if branches.iter().any(|&branch| comes_back(branch)) => Use::Waits,
        _ if goes_on => Use::GoesOn,
        _ if chosen => Use::Shows,
        _ => branches.iter().find_map(|&branch| shows(code, branch, at, &is_local)).unwrap_or_default(),
    };
    (used, !branches.is_empty())
}

/// What each way from a branch may execute before it meets the others, or (`far`) before the function ends.
fn ways(code: &[Inst], branch: usize, far: bool) -> Vec<FxHashSet<usize>> {
    let next = |pc: usize| flow::next(code, pc).map(|next| next as usize).filter(|next| *next < code.len());
    let (firsts, meet) = match &code[branch].op {
        Op::Branch { reconverge, .. } | Op::BranchIndexed { reconverge, .. } => {
            (next(branch).collect(), *reconverge)
        }
        Op::Return {} | Op::Exit {} => (vec![code.len(), branch + 1], NONE),
        // An instruction under a predicate.
        _ => return vec![FxHashSet::from_iter([branch]), FxHashSet::default()],
    };
    let way = |first: usize| {
        let mut open = vec![first];
        let mut seen = FxHashSet::default();
        while let Some(pc) = open.pop() {
            let is_met = !far && pc as u32 == meet;
            if !is_met && pc != branch && pc < code.len() && seen.insert(pc) {
                open.extend(next(pc));
            }
        }
        seen
    };
    firsts.into_iter().map(way).collect()
}

/// Whether global memory shows which way was taken from a branch that depends on the load at `at`.
fn shows(code: &[Inst], branch: usize, at: usize, is_local: &impl Fn(&Address) -> bool) -> Option<Use> {
    let Op::Load { at: word, .. } = &code[at].op else { return None };
    let ways = ways(code, branch, true);
    let mut some = false;
    let mut all = true;
    let mut claims = false;
    for way in &ways {
        let mut stores = false;
        for &pc in way.iter().filter(|pc| !ways.iter().all(|other| other.contains(pc))) {
            match &code[pc].op {
                Op::Atomic { .. } => return None,
                Op::Store { at, .. } if at == word => claims = true,
                Op::Store { at, space: Space::Global | Space::Generic, .. } => stores |= !is_local(at),
                _ => {}
            }
        }
        some |= stores;
        all &= stores;
    }
    if claims { Some(Use::Claims) } else { (some && !all).then_some(Use::Shows) }
}

impl Slice {
    /// Whether an operation reads the value, and whether it depends on it by a decision.
    fn reads(&self, op: &Op) -> (bool, bool) {
        let mut value = false;
        let mut decision = false;
        op.operands(|role, number| match role {
            Role::Reads if number < CONSTANT => {
                value |= self.values.contains(&number);
                decision |= self.decided.contains(&number);
            }
            Role::ReadsPredicate => decision |= self.predicates.contains(&number),
            _ => {}
        });
        (value, decision)
    }

    /// Takes in an instruction; whether that was something new.
    fn grow(&mut self, inst: &Inst, is_local: &impl Fn(&Address) -> bool) -> bool {
        let (mut value, mut decision) = self.reads(&inst.op);
        match &inst.op {
            Op::Store { at, .. } if value && is_local(at) => return self.locals.insert((at.base, at.offset)),
            Op::Store { space: Space::Shared, .. } if value && self.follows_shared => {
                return !std::mem::replace(&mut self.in_shared, true);
            }
            Op::Load { space: Space::Shared, .. } if self.in_shared => {
                value = true;
                decision = false;
            }
            Op::Load { at, .. } => {
                value = is_local(at) && self.locals.contains(&(at.base, at.offset));
                decision = false;
            }
            Op::Atomic { .. } => return false,
            _ => {}
        }
        if !value && !decision {
            return false;
        }
        let mut grows = false;
        inst.op.operands(|role, number| match role {
            Role::Writes if value => grows |= self.values.insert(number),
            Role::Writes => grows |= self.decided.insert(number),
            Role::WritesPredicate => grows |= self.predicates.insert(number),
            _ => {}
        });
        grows
    }
}
