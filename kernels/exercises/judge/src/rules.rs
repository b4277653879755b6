//! Right, and yet not what was asked for: one thread that does the work of all, an atomic operation for every
//! number, no child where a child was asked for.
//!
//! Nothing here is set by hand for an exercise. The bounds come from right answers, run on the same input and
//! compiled by the same compiler, with room for other ways to be right: what breaks a rule beside the
//! solution is held against each right answer of the solution's file, and refused only if it breaks it beside
//! all.

use std::sync::Arc;

use text::number::thousands;

use super::case::Case;
use super::fault::Fault;
use super::goal::Goal;
use super::run::Outcome;

/// What an answer may count more than its share of the goal's room, where the solution counts little.
const ROOM: u64 = 16;
/// Threads of a warp.
const WARP: u32 = 32;
/// Warps of the largest block.
const MOST_WARPS: u64 = 32;
/// Arrays that are shorter than a warp share out no work.
const SHORTEST: usize = 32;

/// What an answer does more of than the solution, or less, in a sentence.
pub type Broken = Option<(Fault, String)>;

/// Runs of an answer and of the solution on one input.
pub struct Pair {
    pub case: Case,
    /// Whether many numbers become one.
    pub is_tree: bool,
    pub yours: Arc<Outcome>,
    pub solution: Arc<Outcome>,
}

/// Whether the answer does another thing than what was asked for, by comparison with the solution for several
/// inputs.
pub fn other_task(pairs: &[Pair]) -> Broken {
    let alone = |pair: &Pair| one_thread(pair).filter(|_| pair.yours.effort.busiest.is_most_of_block());
    first(pairs, &[&left_early, &alone, &launches, &few_warps, &atomics])
}

/// Whether the answer is right only by chance.
pub fn by_chance(pairs: &[Pair]) -> Broken {
    first(pairs, &[&left_early])
}

/// Whether the answer does the same thing, but more of it than any goal counts. (A goal that is missed is the
/// better message: the task as it is given may be what costs so much.)
pub fn too_much(pairs: &[Pair]) -> Broken {
    first(pairs, &[&one_thread, &work])
}

/// The first goal that the answer meets where it is measured, and not for another input. There it may cost
/// more than the solution as far as the goal lets it where that is measured.
pub fn goals(goals: &[Goal], pairs: &[Pair]) -> Broken {
    goals.iter().find_map(|goal| {
        let count = |outcome: &Outcome| outcome.count(&goal.field);
        let there = count(&pairs.iter().find(|pair| pair.case == goal.case)?.solution)?;
        pairs.iter().find_map(|Pair { case, yours, solution, .. }| {
            let mine = count(yours)?;
            let theirs = count(solution)?;
            let more = goal.most.saturating_sub(there);
            let most = theirs + (theirs * more).div_ceil(there.max(1)) + more.clamp(1, ROOM);
            let what = format!(
                "The goal is met at {}, but it is not only for that size: at {case} there are \
                 {} {}, and {} in the solution.",
                goal.case,
                number(mine),
                goal.name(),
                number(theirs)
            );
            (mine > most).then_some((Fault::Goal, what))
        })
    })
}

/// What the first of `rules` says that one of the inputs breaks.
fn first(pairs: &[Pair], rules: &[&dyn Fn(&Pair) -> Broken]) -> Broken {
    rules.iter().find_map(|rule| {
        pairs.iter().filter(|pair| pair.case.n >= SHORTEST).find_map(|pair| {
            let (kind, what) = rule(pair)?;
            Some((kind, format!("At {}: right, but {what}.", pair.case)))
        })
    })
}

/// A thread that leaves is not waited for. What it has written since its last barrier is not ordered before
/// what comes after the next one (PTX ISA, `bar.sync`: for the threads that take part).
fn left_early(Pair { yours, .. }: &Pair) -> Broken {
    let (threads, line) = yours.gone?;
    let threads = if threads == 1 { "one thread".to_string() } else { format!("{threads} threads") };
    let what = format!(
        "only by chance: when the barrier in line {line} opened, {threads} of its block had left the kernel. \
         A barrier orders only the accesses of threads that reach it, and these had written something since \
         their last one"
    );
    Some((Fault::LeftEarly, what))
}

/// A tree of another shape may need twice the loads of the solution's, and a few more; and one thread may go
/// through as many sums as the largest block has warps. What all threads share equally is no matter of its
/// shape.
fn one_thread(Pair { case, is_tree, yours, solution }: &Pair) -> Broken {
    let busiest = yours.effort.busiest;
    let most = solution.effort.busiest.loads;
    if !yours.effort.is_uneven() || busiest.loads <= (2 * most).max(MOST_WARPS) + 8 {
        return None;
    }
    if busiest.loads * u64::from(case.block) <= 2 * busiest.of_block {
        let what = format!(
            "one block does the work of many: the threads of block {} make {} loads, about as many each, and \
             those of other blocks hardly any. In the solution no thread makes more than {}",
            number(busiest.block),
            number(busiest.of_block),
            number(most),
        );
        return Some((Fault::OneBlock, what));
    }
    // Half of a block's loads in one thread is a queue before it; less than that may still be a tree.
    let shape = match busiest.is_most_of_block() {
        true if *is_tree => "not a tree",
        true => "one thread does the work of all",
        false => "uneven work",
    };
    let loads = if busiest.loads == busiest.of_block { "all".into() } else { number(busiest.loads) };
    let what = format!(
        "{shape}: thread {} of block {} makes {loads} of the {} loads of its block. In the solution no \
         thread \
         makes more than {}",
        busiest.thread,
        number(busiest.block),
        number(busiest.of_block),
        number(most),
    );
    Some((Fault::OneThread, what))
}

/// Numbers of a warp whose lanes make two loads of 16 bytes each.
const BY_VECTORS: u64 = 256;
/// A block of the solution has this many working warps where one warp is held to be too few.
const MANY_WARPS: u32 = 8;

/// Wide loads leave warps idle, the more so where the input ends early: what two of them per thread explain
/// is not refused, nor is more than an eighth of the solution's warps.
fn few_warps(Pair { yours, solution, is_tree, .. }: &Pair) -> Broken {
    let mine = yours.effort.working_warps;
    let theirs = solution.effort.working_warps;
    let is_few = theirs >= MANY_WARPS && mine <= theirs / MANY_WARPS;
    let what = format!(
        "not {} the whole block: {} threads of a block load almost everything that reaches the result. In \
         the solution {} do",
        if *is_tree { "a tree of" } else { "the work of" },
        mine * WARP,
        number((theirs * WARP).into())
    );
    let is_narrow = yours.effort.block_numbers > BY_VECTORS * u64::from(mine);
    (is_few && is_narrow).then_some((Fault::OneThread, what))
}

/// Atomic operations at one address that are hardly a queue.
const FEW: u64 = 4;

/// A block may leave its result by an atomic operation, and each of its warps one for the block.
fn atomics(Pair { case, yours, solution, .. }: &Pair) -> Broken {
    let warps = u64::from(case.block.div_ceil(WARP));
    // Who swaps in vain tries again, and has to: it is the same update.
    let mine = yours.counters.atomics - yours.effort.swaps_in_vain;
    let theirs = solution.counters.atomics;
    // Where each address has few of them, nobody waits.
    let longest = yours.effort.longest_queue;
    let queue = if longest > FEW {
        format!(". At one address {} of them queue", number(longest))
    } else {
        String::new()
    };
    let none = if theirs == 0 { "none".to_string() } else { number(theirs) };
    let what = format!("with {} atomic operations where the solution makes {none}{queue}", number(mine));
    let is_more = yours.effort.block_atomics > solution.effort.block_atomics + warps + 1;
    (mine > theirs && is_more).then_some((Fault::Atomics, what))
}

/// Numbers of which a level may leave one to its child: fewer levels have children that load less.
const MOST_PER_LEVEL: u64 = 64;

/// Fewer children than the solution's are better, if they do the work. A child that loads nothing that
/// reaches the result is none, and most of those that are launched have to load something.
fn launches(Pair { yours, solution, .. }: &Pair) -> Broken {
    let mine = yours.effort.working_children;
    let theirs = solution.effort.working_children;
    let launched = yours.counters.device_launches;
    let least = theirs - (theirs / 8).max(1).min(theirs);
    let [all, work, wanted] = [launched, mine, theirs].map(number);
    let children = match launched {
        0 if theirs > 0 => Some(format!("without a child: the solution launches {wanted}")),
        _ if mine < least && launched >= least => Some(format!(
            "of the {all} children that it launches, {work} do any of the work; in the solution, {wanted}"
        )),
        _ => None,
    };
    if let Some(what) = children {
        return Some((Fault::Launches, what));
    }
    let words = yours.effort.child_words;
    let theirs = solution.effort.child_words;
    if MOST_PER_LEVEL * words < theirs {
        let numbers = if words == 1 { "number" } else { "numbers" };
        let what = format!(
            "the parent does the work of its children: of all that they load, {} {numbers} may reach the \
             result; in the solution, {}",
            number(words),
            number(theirs)
        );
        return Some((Fault::Launches, what));
    }
    let what = "by a tail launch, which waits for all of its parent. The task asks for a fire-and-forget \
                launch";
    let is_tail = yours.effort.tail_launches > 0 && solution.effort.tail_launches == 0;
    is_tail.then(|| (Fault::TailLaunch, what.to_string()))
}

/// Instructions of a warp that are no waste, however few the solution has: a short kernel is soon twice as
/// long.
const SHORT_KERNEL: u64 = 64;

/// Other ways to write the same steps cost at most about half as much again.
fn work(Pair { yours, solution, .. }: &Pair) -> Broken {
    let mine = yours.counters.warp_instructions;
    let theirs = solution.counters.warp_instructions;
    let what = format!(
        "with too much work: it takes {} instructions, and the solution {}",
        number(mine),
        number(theirs)
    );
    let warps: u64 = yours.effort.launches.iter().map(|(threads, _)| threads / u64::from(WARP)).sum();
    // How often a swap is tried again is a matter of the other threads.
    let tries_again = yours.effort.swaps_in_vain > 0;
    (mine > (2 * theirs).max(SHORT_KERNEL * warps) && !tries_again).then_some((Fault::Work, what))
}

fn number(count: u64) -> String {
    thousands(count as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use effort::{Busiest, Effort};

    /// A run in which the busiest of 32 threads makes so many of so many loads.
    fn outcome(most: u64, all: u64) -> Arc<Outcome> {
        let busiest = Busiest { loads: most, of_block: all, ..Busiest::default() };
        Arc::new(Outcome {
            effort: Effort { busiest, launches: vec![(32, all)], ..Effort::default() },
            ..Outcome::default()
        })
    }

    #[test]
    fn idle_warps_that_wide_loads_explain_are_no_fault() {
        let case = Case { n: 3000, block: 1024, schedule: 0 };
        let outcome = |working_warps, block_numbers| {
            let effort = Effort { working_warps, block_numbers, ..Effort::default() };
            Arc::new(Outcome { effort, ..Outcome::default() })
        };
        let said = |mine, numbers, theirs| {
            let yours = outcome(mine, numbers);
            let solution = outcome(theirs, numbers);
            few_warps(&Pair { case, is_tree: true, yours, solution }).map(|(_, what)| what)
        };
        assert_eq!(said(11, 3000, 32), None);
        assert_eq!(said(1, 256, 8), None);
        assert_eq!(said(1, 1024, 4), None);
        assert!(said(1, 1024, 8).unwrap().contains("32 threads of a block load almost everything"));
        assert!(said(4, 8192, 32).unwrap().contains("128 threads of a block load almost everything"));
    }

    /// One thread that goes through a sum per warp, however many warps there are, has the loads of one that
    /// does all the work where there are no more numbers than that.
    #[test]
    fn the_shape_is_judged_where_there_is_enough_to_tell() {
        let kind = |n, block, most, all| {
            let case = Case { n, block, schedule: 0 };
            let pair = Pair { case, is_tree: true, yours: outcome(most, all), solution: outcome(11, 64) };
            one_thread(&pair).map(|(kind, _)| kind)
        };
        assert_eq!(kind(32, 32, 33, 64), None);
        assert_eq!(kind(1000, 1024, 1000, 1000), Some(Fault::OneThread));
    }

    #[test]
    fn work_that_all_threads_share_equally_is_no_work_of_one_thread() {
        let case = Case { n: 100_003, block: 32, schedule: 0 };
        let kind = |most, all| {
            let solution = outcome(200, 6400);
            let pair = Pair { case, is_tree: true, yours: outcome(most, all), solution };
            one_thread(&pair).map(|(kind, _)| kind)
        };
        assert_eq!(kind(793, 25_087), None);
        assert_eq!(kind(793, 7_000), Some(Fault::OneThread));
        assert_eq!(kind(400, 7_000), None);
    }
}
