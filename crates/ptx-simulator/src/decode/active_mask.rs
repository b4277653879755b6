//! Which warp-level instructions name their lanes by a mask that comes from `activemask`: that one tells
//! which lanes happen to be together, not which should be.

use rustc_hash::{FxHashMap, FxHashSet};

use super::op::{CONSTANT, Op, Reg, Role};
use super::program::{ActiveMask, Inst};

/// Of `code`, the warp-level instructions that have such a mask, by their places.
pub fn active_masks(code: &[Inst]) -> FxHashMap<usize, ActiveMask> {
    let mut found = FxHashMap::default();
    for (pc, _) in code.iter().enumerate().filter(|(_, inst)| matches!(inst.op, Op::ActiveMask { .. })) {
        let made = made_of(code, pc);
        let only_names = only_names(code, &made);
        let members = |inst: &Inst| inst.op.members().is_some_and(|mask| made.contains(&mask));
        for (at, _) in code.iter().enumerate().filter(|(_, inst)| members(inst)) {
            found.entry(at).or_insert(ActiveMask { pc, only_names });
        }
    }
    found
}

/// The registers with the value that the instruction at `pc` writes, or with something computed from it.
fn made_of(code: &[Inst], pc: usize) -> FxHashSet<Reg> {
    let mut made = FxHashSet::default();
    let write = |op: &Op, made: &mut FxHashSet<Reg>| {
        let before = made.len();
        op.operands(|role, number| {
            if role == Role::Writes {
                made.insert(number);
            }
        });
        made.len() > before
    };
    write(&code[pc].op, &mut made);
    let mut grows = true;
    while std::mem::take(&mut grows) {
        for inst in code {
            let is_made = computes(&inst.op) && reads(&inst.op, &made);
            grows |= is_made && write(&inst.op, &mut made);
        }
    }
    made
}

/// Whether all that reads the mask are exchanges of values that name their lanes by it.
fn only_names(code: &[Inst], made: &FxHashSet<Reg>) -> bool {
    code.iter().filter(|inst| reads(&inst.op, made)).all(|inst| match &inst.op {
        Op::Shuffle { a, b, c, .. } => [a, b, c].iter().all(|operand| !made.contains(operand)),
        Op::Reduce { a, .. } => !made.contains(a),
        Op::WarpBarrier { .. } => true,
        op => computes(op),
    })
}

fn computes(op: &Op) -> bool {
    matches!(op, Op::Alu { .. } | Op::Select { .. })
}

fn reads(op: &Op, registers: &FxHashSet<Reg>) -> bool {
    let mut reads = false;
    op.operands(|role, number| {
        reads |= role == Role::Reads && number < CONSTANT && registers.contains(&number);
    });
    reads
}
