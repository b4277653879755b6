//! Where diverged lanes meet again: the immediate post-dominator of every branch.
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
    let count = code.len();
    // Basic blocks: their first instructions, and the block of each instruction.
    let mut leader = vec![false; count + 1];
    leader[0] = true;
    for (pc, inst) in code.iter().enumerate() {
        let targets = targets(&inst.op);
        for &target in targets {
            leader[target as usize] = true;
        }
        if !targets.is_empty() || ends(&inst.op) {
            leader[pc + 1] = true;
        }
    }
    let starts: Vec<usize> = (0..count).filter(|&pc| leader[pc]).collect();
    let mut block_of = vec![0usize; count];
    for (block, &start) in starts.iter().enumerate() {
        let end = starts.get(block + 1).copied().unwrap_or(count);
        block_of[start..end].fill(block);
    }
    let exit = starts.len();
    let mut successors: Vec<Vec<usize>> = (0..starts.len())
        .map(|block| {
            let last = starts.get(block + 1).copied().unwrap_or(count) - 1;
            let inst = &code[last];
            let mut out: Vec<usize> = targets(&inst.op)
                .iter()
                .map(|&t| block_of.get(t as usize).copied().unwrap_or(exit))
                .collect();
            let conditional = inst.guard != NONE;
            let leaves = ends(&inst.op);
            if leaves {
                out.push(exit);
            }
            let jumps = !targets(&inst.op).is_empty();
            if (!jumps && !leaves) || conditional {
                out.push(block_of.get(last + 1).copied().unwrap_or(exit));
            }
            out
        })
        .collect();

    drop_ways_out(&mut successors, |block| {
        let inst = &code[starts[block]];
        ends(&inst.op) && inst.guard == NONE
    });

    // Order of the reversed graph from the virtual exit: a post-order numbering.
    let predecessors = reversed(&successors);
    let mut order = Vec::with_capacity(exit + 1);
    let mut seen = vec![false; exit + 1];
    let mut stack = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((block, next)) = stack.pop() {
        if let Some(&p) = predecessors[block].get(next) {
            stack.push((block, next + 1));
            if !seen[p] {
                seen[p] = true;
                stack.push((p, 0));
            }
        } else {
            order.push(block);
        }
    }
    let mut number = vec![usize::MAX; exit + 1];
    for (i, &block) in order.iter().enumerate() {
        number[block] = i;
    }
    let mut post = vec![usize::MAX; exit + 1];
    post[exit] = exit;
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev().filter(|&&b| b != exit) {
            let mut found = usize::MAX;
            for &s in &successors[block] {
                if post[s] == usize::MAX {
                    continue;
                }
                found = if found == usize::MAX { s } else { meet(found, s, &post, &number) };
            }
            if found != usize::MAX && post[block] != found {
                post[block] = found;
                changed = true;
            }
        }
    }
    for pc in 0..count {
        let block = block_of[pc];
        let meets = match post[block] {
            p if p < exit => starts[p] as u32,
            _ => NONE,
        };
        match &mut code[pc].op {
            Op::Branch { reconverge, .. } | Op::BranchIndexed { reconverge, .. } => *reconverge = meets,
            _ => {}
        }
    }
}

/// Takes away the edges by which some lanes of a block leave at once while others have another way, but where
/// that would cut a block off from every end of the function: a loop that only ends by leaving.
fn drop_ways_out(successors: &mut [Vec<usize>], leaves: impl Fn(usize) -> bool) {
    let exit = successors.len();
    let out = |block: usize| block == exit || leaves(block);
    let mut kept: Vec<Vec<usize>> = successors.to_vec();
    for next in &mut kept {
        if next.iter().any(|&block| !out(block)) {
            next.retain(|&block| !out(block));
        }
    }
    let mut ends = vec![false; exit + 1];
    let mut stack = vec![exit];
    let predecessors = reversed(&kept);
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut ends[block], true) {
            stack.extend(&predecessors[block]);
        }
    }
    for (block, next) in kept.into_iter().enumerate().filter(|(block, _)| ends[*block]) {
        successors[block] = next;
    }
}

/// Who comes before each block, the virtual exit included.
fn reversed(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len() + 1];
    for (block, next) in successors.iter().enumerate() {
        for &s in next {
            predecessors[s].push(block);
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

/// A branch that has a barrier on one side only: the barriers, by their place, on each side.
#[derive(Debug)]
pub struct Watch {
    pub taken: Vec<u32>,
    pub rest: Vec<u32>,
}

/// The branches of a function that decide whether a barrier is reached, with their places. A side that only
/// leads to the function's end is an early exit, which is legal, and no such branch. `is_barrier` also holds
/// for calls of functions with a barrier in them.
pub fn watches(code: &[Inst], is_barrier: impl Fn(&Op) -> bool) -> Vec<(u32, Watch)> {
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
                let inst = &code[at as usize];
                if is_barrier(&inst.op) {
                    barriers.insert(barriers.partition_point(|other| *other < at), at);
                }
                stack.extend(targets(&inst.op));
                let falls_through = inst.guard != NONE || (targets(&inst.op).is_empty() && !ends(&inst.op));
                if falls_through {
                    stack.push(at + 1);
                }
            }
            barriers
        };
        let (taken, rest) = (side(target), side(pc as u32 + 1));
        let leaves = reconverge == NONE || only_ends(reconverge as usize);
        let early_exit = leaves && (taken.is_empty() || rest.is_empty());
        if taken != rest && !early_exit {
            let only =
                |of: &[u32], other: &[u32]| of.iter().copied().filter(|b| !other.contains(b)).collect();
            out.push((pc as u32, Watch { taken: only(&taken, &rest), rest: only(&rest, &taken) }));
        }
    }
    out
}
