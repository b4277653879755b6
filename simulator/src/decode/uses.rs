//! What becomes of the value of a strong load, volatile or relaxed: whether its thread waits for it, only
//! decides by it, or goes on with it.
//!
//! A slice of the function, whatever the order of its instructions: what is computed from the value, through
//! registers, predicates, local variables and the parameters of calls.

use rustc_hash::FxHashSet;

use super::op::{Address, CONSTANT, LOCAL_BASE, NONE, Op, Pred, Reg, Role};
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
    locals: FxHashSet<(Reg, i64)>,
    frame: FxHashSet<usize>,
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
            let (a, b) = (&code[loads[one]], &code[loads[other]]);
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

fn is_strong(op: &Op) -> bool {
    matches!(op, Op::Load { space: Space::Global | Space::Shared | Space::Generic, order, .. }
        if !matches!(order, Order::Weak | Order::ReadOnly))
}

/// Registers with addresses of local variables.
fn stack(code: &[Inst]) -> FxHashSet<Reg> {
    let mut own = FxHashSet::default();
    loop {
        let before = own.len();
        for inst in code.iter().filter(|inst| matches!(inst.op, Op::Alu { .. } | Op::LocalAddress { .. })) {
            let mut is_local = matches!(inst.op, Op::LocalAddress { .. });
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
    let is_local = |at: &Address| at.base == LOCAL_BASE || own.contains(&at.base);
    let mut slice = Slice::default();
    code[at].op.operands(|role, reg| {
        if role == Role::Writes {
            slice.values.insert(reg);
        }
    });
    while code.iter().fold(false, |grows, inst| slice.grow(inst, &is_local) | grows) {}
    let args =
        |offset: &usize| code.iter().any(|i| matches!(&i.op, Op::Call { args, .. } if args.contains(offset)));
    let goes_on = code.iter().any(|inst| {
        slice.reads(&inst.op).0
            && match &inst.op {
                Op::Store { at, .. } => !is_local(at),
                Op::StoreFrame { offset, .. } => args(offset),
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
    let depends = |inst: &Inst| {
        inst.guard != NONE && slice.predicates.contains(&inst.guard)
            || matches!(&inst.op, Op::BranchIndexed { index, .. } if slice.values.contains(index))
    };
    let mut branches = code.iter().enumerate().filter(|(_, inst)| depends(inst)).peekable();
    let decides = branches.peek().is_some();
    let used = match () {
        _ if branches.any(|(branch, _)| comes_back(code, branch, at)) => Use::Waits,
        _ if goes_on => Use::GoesOn,
        _ => Use::Decides,
    };
    (used, decides)
}

/// Whether a way from a branch leads to `at` before it meets the other ways.
fn comes_back(code: &[Inst], branch: usize, at: usize) -> bool {
    let ways = |pc: usize| -> (Vec<usize>, u32) {
        let inst = &code[pc];
        let falls = inst.guard != NONE || !matches!(inst.op, Op::Branch { .. } | Op::BranchIndexed { .. });
        let next = (falls && pc + 1 < code.len()).then_some(pc + 1);
        match &inst.op {
            Op::Branch { target, reconverge } => {
                (next.into_iter().chain([*target as usize]).collect(), *reconverge)
            }
            Op::BranchIndexed { targets, reconverge, .. } => {
                (next.into_iter().chain(targets.iter().map(|target| *target as usize)).collect(), *reconverge)
            }
            Op::Return {} | Op::Exit {} | Op::Trap {} if inst.guard == NONE => (Vec::new(), NONE),
            _ => (next.into_iter().collect(), NONE),
        }
    };
    if !matches!(code[branch].op, Op::Branch { .. } | Op::BranchIndexed { .. }) {
        return false;
    }
    let (mut open, meet) = ways(branch);
    let mut seen = vec![false; code.len()];
    while let Some(pc) = open.pop() {
        if pc == at {
            return true;
        }
        if pc as u32 != meet && pc < code.len() && !std::mem::replace(&mut seen[pc], true) {
            open.extend(ways(pc).0);
        }
    }
    false
}

impl Slice {
    /// Whether an operation reads the value, and whether it depends on it by a decision.
    fn reads(&self, op: &Op) -> (bool, bool) {
        let (mut value, mut decision) = (false, false);
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
            Op::StoreFrame { offset, .. } if value => return self.frame.insert(*offset),
            Op::Load { at, .. } => {
                (value, decision) = (self.locals.contains(&(at.base, at.offset)) && is_local(at), false);
            }
            Op::LoadFrame { offset, .. } => (value, decision) = (self.frame.contains(offset), false),
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
