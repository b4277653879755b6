//! Plain or volatile loads and stores that are the two halves of an update, `bins[k]++`: what was loaded is
//! changed and stored to where it came from. Where two threads make one of the same element, a barrier does
//! not help, and an atomic operation does.

use rustc_hash::FxHashSet;

use super::op::{Address, NONE, Op, Reg, Role};
use super::program::Inst;
use crate::ptx::{Order, Space};

/// Fills in `updates` of every plain or volatile load and store.
pub fn set_updates(code: &mut [Inst]) {
    let loads: Vec<usize> = (0..code.len()).filter(|&pc| is_load(&code[pc].op)).collect();
    let mut halves = Vec::new();
    for to in 0..code.len() {
        let Some(stored) = place_of_store(&code[to].op) else { continue };
        let before = loads.iter().rev().skip_while(|&&from| from > to);
        let from = before.copied().find(|&from| place_of_load(&code[from].op) == Some(stored));
        if let Some(from) = from.filter(|&from| hands_on(code, from, to)) {
            halves.extend([from, to]);
        }
    }
    for pc in halves {
        if let Op::Load { updates, .. } | Op::Store { updates, .. } = &mut code[pc].op {
            *updates = true;
        }
    }
}

/// Where such an access to memory that threads share leads, and how many bytes an element has.
type Place<'a> = (Space, &'a Address, u32);

fn is_load(op: &Op) -> bool {
    place_of_load(op).is_some()
}

fn place_of_load(op: &Op) -> Option<Place<'_>> {
    let Op::Load { space, bytes, at, order: Order::Weak | Order::Volatile, .. } = op else { return None };
    is_shared_by_threads(*space).then_some((*space, at, *bytes))
}

fn place_of_store(op: &Op) -> Option<Place<'_>> {
    let Op::Store { space, bytes, at, order: Order::Weak | Order::Volatile, .. } = op else { return None };
    is_shared_by_threads(*space).then_some((*space, at, *bytes))
}

fn is_shared_by_threads(space: Space) -> bool {
    matches!(space, Space::Global | Space::Shared | Space::Generic)
}

/// Whether the store at `to` stores something that is computed from what the load at `from` has loaded, from
/// an address that is still the same.
fn hands_on(code: &[Inst], from: usize, to: usize) -> bool {
    let mut values: FxHashSet<Reg> = FxHashSet::default();
    let mut base = NONE;
    code[from].op.operands(|role, register| match role {
        Role::Writes => _ = values.insert(register),
        Role::Addresses => base = register,
        _ => {}
    });
    if values.contains(&base) {
        return false;
    }
    for inst in &code[from + 1..to] {
        let computes = !matches!(inst.op, Op::Load { .. } | Op::Atomic { .. }) && reads(&inst.op, &values);
        let mut moves = false;
        inst.op.operands(|role, register| {
            if role == Role::Writes {
                moves |= register == base;
                if computes {
                    values.insert(register);
                }
            }
        });
        if moves {
            return false;
        }
    }
    reads(&code[to].op, &values)
}

fn reads(op: &Op, values: &FxHashSet<Reg>) -> bool {
    let mut does = false;
    op.operands(|role, register| does |= role == Role::Reads && values.contains(&register));
    does
}
