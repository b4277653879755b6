//! Where diverged lanes reconverge: the immediate post-dominator of every branch.
//!
//! Lanes that leave the function do not come to any meeting place, so a way that only leaves does not count:
//! after `if (i >= n) return;` the others go on together, and so do those of `if (a) { if (b) return; … }
//! else { … }` behind the outer branch.
//!
//! Post-dominators by the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"
//! (2001), on the reversed flow graph with one virtual exit.

use super::op::{NONE, Op};
use super::program::Inst;

/// Fills in `reconverge` of every branch: the instruction at which all ways from it come together, or
/// [`NONE`] if that is only where the function ends.
pub fn set_reconvergence(code: &mut [Inst]) {
    let exit = code.len();
    let mut successors: Vec<Vec<usize>> = (0..exit)
        .map(|pc| {
            let end = ends(&code[pc].op).then_some(exit);
            let next: Vec<usize> = next(code, pc).map(|next| next as usize).collect();
            next.into_iter().chain(end).map(|next| next.min(exit)).collect()
        })
        .collect();
    drop_ways_out(&mut successors, |pc| ends(&code[pc].op) && code[pc].guard == NONE);
    let post = post_dominators(&successors);
    for (pc, inst) in code.iter_mut().enumerate() {
        if let Op::Branch { reconverge, .. } | Op::BranchIndexed { reconverge, .. } = &mut inst.op {
            *reconverge = if post[pc] < exit { post[pc] as u32 } else { NONE };
        }
    }
}

/// Where an instruction may be followed: the next one first, unless it always jumps or ends.
pub fn next(code: &[Inst], pc: usize) -> impl Iterator<Item = u32> {
    let inst = &code[pc];
    let falls_through = inst.guard != NONE || (targets(&inst.op).is_empty() && !ends(&inst.op));
    falls_through.then_some(pc as u32 + 1).into_iter().chain(targets(&inst.op).iter().copied())
}

/// The immediate post-dominator of each instruction; the number of them is the virtual exit. [`usize::MAX`]
/// where no way leads to the exit.
fn post_dominators(successors: &[Vec<usize>]) -> Vec<usize> {
    let exit = successors.len();
    // Order of the reversed graph from the virtual exit: a post-order numbering.
    let predecessors = reversed(successors);
    let mut order = Vec::with_capacity(exit + 1);
    let mut number = vec![usize::MAX; exit + 1];
    let mut seen = vec![false; exit + 1];
    let mut stack = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((pc, next)) = stack.pop() {
        if let Some(&p) = predecessors[pc].get(next) {
            stack.push((pc, next + 1));
            if !std::mem::replace(&mut seen[p], true) {
                stack.push((p, 0));
            }
        } else {
            number[pc] = order.len();
            order.push(pc);
        }
    }
    let mut post = vec![usize::MAX; exit + 1];
    post[exit] = exit;
    let mut changed = true;
    while changed {
        changed = false;
        for &pc in order.iter().rev().filter(|&&pc| pc != exit) {
            let known = successors[pc].iter().copied().filter(|&next| post[next] != usize::MAX);
            let found = known.reduce(|a, b| meet(a, b, &post, &number)).unwrap_or(usize::MAX);
            changed |= post[pc] != found;
            post[pc] = found;
        }
    }
    post
}

/// Takes away the edges by which some lanes leave at once while others have another way, but where that would
/// cut an instruction off from every end of the function: a loop that only ends by leaving.
fn drop_ways_out(successors: &mut [Vec<usize>], leaves: impl Fn(usize) -> bool) {
    let exit = successors.len();
    let out = |pc: usize| pc == exit || leaves(pc);
    let mut kept: Vec<Vec<usize>> = successors.to_vec();
    for next in &mut kept {
        if next.iter().any(|&pc| !out(pc)) {
            next.retain(|&pc| !out(pc));
        }
    }
    let mut ends = vec![false; exit + 1];
    let mut stack = vec![exit];
    let predecessors = reversed(&kept);
    while let Some(pc) = stack.pop() {
        if !std::mem::replace(&mut ends[pc], true) {
            stack.extend(&predecessors[pc]);
        }
    }
    for (pc, next) in kept.into_iter().enumerate().filter(|(pc, _)| ends[*pc]) {
        successors[pc] = next;
    }
}

/// Who comes before each instruction, the virtual exit included.
fn reversed(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len() + 1];
    for (pc, next) in successors.iter().enumerate() {
        for &s in next {
            predecessors[s].push(pc);
        }
    }
    predecessors
}

fn meet(mut a: usize, mut b: usize, post: &[usize], number: &[usize]) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = post[a];
        }
        while number[b] < number[a] {
            b = post[b];
        }
    }
    a
}

fn targets(op: &Op) -> &[u32] {
    match op {
        Op::Branch { target, .. } => std::slice::from_ref(target),
        Op::BranchIndexed { targets, .. } => targets,
        _ => &[],
    }
}

fn ends(op: &Op) -> bool {
    matches!(op, Op::Return {} | Op::Exit {} | Op::Trap {})
}

/// The branches of a function that decide whether a barrier is reached: their places, and the barriers that
/// only lie on the taken side, and only on the other. A side that only leads to the function's end is an
/// early exit, which is legal, and no such branch. `is_barrier` also holds for calls of functions with a
/// barrier in them.
pub fn watches(code: &[Inst], is_barrier: impl Fn(&Op) -> bool) -> Vec<(u32, [Vec<u32>; 2])> {
    if !code.iter().any(|inst| is_barrier(&inst.op)) {
        return Vec::new();
    }
    let only_ends = |mut pc: usize| {
        while matches!(code[pc].op, Op::Nop {}) {
            pc += 1;
        }
        ends(&code[pc].op) && code[pc].guard == NONE
    };
    let mut out = Vec::new();
    for (pc, inst) in code.iter().enumerate() {
        let Op::Branch { target, reconverge, .. } = inst.op else { continue };
        if inst.guard == NONE {
            continue;
        }
        let side = |start: u32| {
            let mut seen = vec![false; code.len()];
            let mut stack = vec![start];
            let mut barriers = Vec::new();
            while let Some(at) = stack.pop() {
                if at == reconverge
                    || at as usize >= code.len()
                    || std::mem::replace(&mut seen[at as usize], true)
                {
                    continue;
                }
                if is_barrier(&code[at as usize].op) {
                    barriers.push(at);
                }
                stack.extend(next(code, at as usize));
            }
            barriers.sort_unstable();
            barriers
        };
        let taken = side(target);
        let rest = side(pc as u32 + 1);
        let leaves = reconverge == NONE || only_ends(reconverge as usize);
        let early_exit = leaves && (taken.is_empty() || rest.is_empty());
        if taken != rest && !early_exit {
            let only =
                |of: &[u32], other: &[u32]| of.iter().copied().filter(|b| !other.contains(b)).collect();
            out.push((pc as u32, [only(&taken, &rest), only(&rest, &taken)]));
        }
    }
    out
}
