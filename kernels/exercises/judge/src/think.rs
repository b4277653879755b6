//! One sentence on what to think about, for each way to fail.

use ptx_simulator::{Diagnostic, Limit, What};

use super::source::Exercise;

/// The sentence for the first of `topics` (faults or counters, by name) that has one, where the simulator has
/// found this: the exercise's own, else a general one. Of a race it goes by its shape: an exercise may have
/// its own for a shape (`other-block`), or for races of all shapes.
pub fn sentence(exercise: &Exercise, topics: &[String], found: &[Diagnostic]) -> String {
    let first = |kind: &str| found.iter().find(|found| found.kind.to_string() == kind);
    let said = topics.iter().find_map(|kind| {
        let found = first(kind);
        let shape = found.and_then(|found| found.shape).map(|shape| shape.to_string()).unwrap_or_default();
        let own = exercise.think(&shape).or(exercise.think(kind));
        let sure = found.and_then(|found| of_limit(found).or_else(|| of_scope(found)));
        sure.or(own).or_else(|| general(&shape)).or_else(|| general(kind))
    });
    said.unwrap_or("What does the kernel do for this very input, thread by thread?").to_string()
}

/// What to think about where a launch is refused for another reason than its grid.
fn of_limit(found: &Diagnostic) -> Option<&'static str> {
    let What::Refused(limit, _) = &found.what else { return None };
    Some(match limit {
        Limit::Shape => return None,
        Limit::SharedMemory => "How much shared memory does the block need for its threads?",
        Limit::CompiledFor => "For how many threads per block is the kernel compiled, and why?",
        Limit::Calls => "When does this recursion end, for every input?",
    })
}

/// What to think about where two atomic operations race: only their scopes can be too narrow.
fn of_scope(found: &Diagnostic) -> Option<&'static str> {
    let What::Race { sides: [one, other], .. } = &found.what else { return None };
    let is_of_blocks = one.block != other.block || one.grid != other.grid;
    (one.does.is_atomic() && other.does.is_atomic() && is_of_blocks).then_some(
        "`atomicAdd_block` is atomic only among the threads of its own block. Which scope covers all threads \
         that meet at this element?",
    )
}

/// The sentences, each behind its kind: the shapes of a race come first, and counters stand among the rest.
const GENERAL: &str = "\
same-warp: Lanes of a warp need not move in step. Which barrier stands between the lane that writes this \
    element and the one that reads it?
same-block: Which barrier stands between the thread that writes this element and the one that reads it?
same-cluster: A barrier of a block does not wait for the other blocks of its cluster. Which one stands \
    between the write and the read?
other-block: Blocks run in any order, and no barrier of a block waits for another block. Should two blocks \
    meet at this element at all, and if so, by which kind of operation?
other-grid: Which of the two grids has to wait for the other, and what makes it wait?
other-gpu: Which of the two GPUs has to wait for the other, and what makes it wait?
parent-and-child: What of the parent's work does the child see, and the parent of the child's?
child-visibility: What of the parent's work does the child see, and the parent of the child's?
two-writers: Which threads write this element, and which of them should?
overlap: Which bytes does each of the two accesses touch, and whose elements lie there?
async-copy: Who waits for this copy, and was it committed before that?
data-race: Which accesses touch this element, and what orders them?
barrier-divergence: Which threads of the block do not reach this barrier, and why?
deadlock: Which threads are waited for, and can they still come?
out-of-bounds: What is the largest index that this line can use, and what is the largest that exists?
misaligned: Which addresses may a load of this width have?
uninitialized-read: Which thread should have written this element before it is read, and does it, for every \
    input?
warp-collective: Which lanes does the mask name, and which reach this line?
launch-limit: How many blocks does this launch ask for, and how many threads? Is it at least one, for every \
    input?
pending-launch-overflow: How many children wait at the same time, and who could launch fewer?
step-limit: Which condition ends this loop, and does it come true for every input?
unsupported-instruction: The simulator does not know this instruction: can you do without it?
trap: Which assertion or trap stopped the kernel?
wrong-result: Which elements are left out or counted twice? Take the smallest input that fails, and a \
    pencil.
miscounted: What happens to these elements, step by step?
one-thread: How could the other threads of the block share this work, step by step?
one-block: How could the other blocks of the grid share this work?
atomics: Which threads could combine their numbers first, so that few are left for the atomic operation?
launches: Which part of the work is the child's, and who launches it?
tail-launch: When does a tail launch start, and when does a fire-and-forget launch?
work: Which steps does a warp make more often than the sum needs them?
left-early: Which threads reach this barrier, and which have already left the kernel?
memory-limit: How much memory does a sum need besides its numbers?
nothing-written: Which thread should write the result, and does it reach that line?
input-changed: The input is only to be read: where can the intermediate sums go instead?
divergent branches: Which lanes of a warp go which way at this branch, in each step?
global load requests (one per warp): Which numbers are loaded more than once, and could be kept or loaded \
    together?
global load sectors: Which sectors do the 32 lanes of a warp touch in one load, and how much of each do \
    they use?
global store sectors: Which stores does nobody outside the block ever read?
shared bank conflicts: Which words do the lanes of a warp touch together, and in which banks are they?
barrier arrivals (one per warp): At which barriers does most of the block wait for nothing?
atomic operations: Which threads have to make an atomic operation, and which could leave it to another?
device launches: How many levels are there, and how many children does each of them launch?
allocations: What is stored once more that is there already?
goal: Where does it do more than it has to?
no numbers: What is the answer if there are no numbers at all?
wrong-line: Which two lines touch the same element, with nothing in between to order them?
wrong-number: Take one warp and one step, and count. What do the other warps and the other steps add?
waits: Which block needs no other one to run, because all others have done their part?
not-reset: What do the file's `__device__` variables hold when the kernel is launched again?
overflow: What is the difference of the largest and the smallest `int`, and does an `int` hold it?
not-reproducible: Which additions are made in the order in which threads or blocks happen to arrive?
compile-error: Begin with the first error: those that follow may come from it.
missing-function: The checker calls the function by its name, with one slice of numbers.
missing-kernel: The host finds a kernel by its name, and gives it arguments by their order.
missing-file: The task can be brought back at any time.
panic: Which index or which addition does Rust refuse, and for which length?
crash: What ends the whole program, and for which length?
not-allowed: What does the answer need besides what it is given?
stack-overflow: How deep does the recursion go for n elements, and does it end for an empty array?
time-limit: Does every call get a shorter array than the one before?";

fn general(kind: &str) -> Option<&'static str> {
    GENERAL.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(": "))
}
