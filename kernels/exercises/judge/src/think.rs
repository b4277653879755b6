//! One sentence on what to think about, for each way to fail.

use std::borrow::Cow;

use ptx_simulator::{Diagnostic, Kind, Limit, Shape, What};

use super::fault::Fault;
use super::op::Op;
use super::plan::Plan;
use super::source::{self, Exercise};

/// What a sentence is about.
#[derive(Clone, Copy, Debug)]
pub enum Topic<'a> {
    Fault(Fault),
    /// A wrong result that counts some elements twice, or not at all.
    Miscounted,
    /// A wrong result of an empty input.
    NoNumbers,
    /// A counter, by its name, that is over its goal.
    Counter(&'a str),
}

impl Topic<'_> {
    /// What `[think]` of an exercise calls it.
    fn key(&self) -> Cow<'_, str> {
        match self {
            Topic::Fault(fault) => fault.to_string().into(),
            Topic::Miscounted => "miscounted".into(),
            Topic::NoNumbers => "no numbers".into(),
            Topic::Counter(name) => (*name).into(),
        }
    }

    /// The sentence for every exercise.
    fn general(&self, exercise: &Exercise) -> Option<&'static str> {
        match self {
            Topic::Fault(Fault::WrongResult) => Some(of_wrong_result(exercise)),
            Topic::Fault(fault) => of_fault(*fault),
            Topic::Miscounted => Some("What happens to these elements, step by step?"),
            Topic::NoNumbers => Some("What is the answer if there are no numbers at all?"),
            Topic::Counter(name) => of_counter(name),
        }
    }
}

/// The sentence for the first of `topics` that has one, where the simulator has found this: the exercise's
/// own, else a general one. Of a race it goes by its shape: an exercise may have its own for a shape
/// (`other-block`), or for races of all shapes.
pub fn sentence(exercise: &Exercise, topics: &[Topic], found: &[Diagnostic]) -> String {
    let said = topics.iter().find_map(|topic| {
        let found = match topic {
            Topic::Fault(Fault::Found(kind)) => found.iter().find(|found| found.kind == *kind),
            _ => None,
        };
        let shape = found.and_then(|found| found.shape).map(|shape| match shape {
            Shape::SameWarp if exercise.is_puzzle() => Shape::SameBlock,
            shape => shape,
        });
        let own = shape.and_then(|shape| exercise.think(&shape.to_string()));
        let own = own.or(exercise.think(&topic.key()));
        let sure = found.and_then(|found| of_limit(found).or_else(|| of_scope(found)));
        sure.or(own).or_else(|| shape.and_then(of_shape)).or_else(|| topic.general(exercise))
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

/// What to think about where a race has this shape.
fn of_shape(shape: Shape) -> Option<&'static str> {
    Some(match shape {
        Shape::SameWarp => {
            "Lanes of a warp need not move in step. Which barrier stands between the lane that writes this \
             element and the one that reads it?"
        }
        Shape::SameBlock => {
            "Which barrier stands between the thread that writes this element and the one that reads it?"
        }
        Shape::SameCluster => {
            "A barrier of a block does not wait for the other blocks of its cluster. Which one stands \
             between the write and the read?"
        }
        Shape::OtherBlock => {
            "Blocks run in any order, and no barrier of a block waits for another block. Should two blocks \
             meet at this element at all, and if so, by which kind of operation?"
        }
        Shape::OtherGrid => "Which of the two grids has to wait for the other, and what makes it wait?",
        Shape::OtherGpu => "Which of the two GPUs has to wait for the other, and what makes it wait?",
        Shape::ParentAndChild => {
            "What of the parent's work does the child see, and the parent of the child's?"
        }
        Shape::TwoWriters => "Which threads write this element, and which of them should?",
        Shape::Overlap => "Which bytes does each of the two accesses touch, and whose elements lie there?",
        Shape::AsyncCopy => "Who waits for this copy, and was it committed before that?",
        Shape::Lock | Shape::UnreadIndex | Shape::InHeader => return None,
    })
}

/// What to think about where the simulator has found this.
fn of_kind(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::DataRace => "Which accesses touch this element, and what orders them?",
        Kind::BarrierDivergence => "Which threads of the block do not reach this barrier, and why?",
        Kind::Deadlock => "Which threads are waited for, and can they still come?",
        Kind::OutOfBounds => {
            "What is the largest index that this line can use, and what is the largest that exists?"
        }
        Kind::Misaligned => "Which addresses may a load of this width have?",
        Kind::UninitializedRead => {
            "Which thread should have written this element before it is read, and does it, for every input?"
        }
        Kind::WarpCollective => "Which lanes does the mask name, and which reach this line?",
        Kind::LaunchLimit => {
            "How many blocks does this launch ask for, and how many threads? Is it at least one, for every \
             input?"
        }
        Kind::RepeatedLaunch => "Which threads come to this launch, and how often is the child to run?",
        Kind::PendingLaunchOverflow => "How many children wait at the same time, and who could launch fewer?",
        Kind::ChildVisibility => {
            "What of the parent's work does the child see, and the parent of the child's?"
        }
        Kind::UnsupportedInstruction => {
            "The simulator does not know this instruction: can you do without it?"
        }
        Kind::StepLimit => "Which condition ends this loop, and does it come true for every input?",
        Kind::MemoryLimit => "How much memory does a sum need besides its numbers?",
        Kind::Trap => "Which assertion or trap stopped the kernel?",
        Kind::OrderDependent | Kind::HostAccess | Kind::UseAfterFree | Kind::NeverRead => return None,
    })
}

/// What to think about a wrong result of this exercise.
fn of_wrong_result(exercise: &Exercise) -> &'static str {
    match &exercise.kind {
        source::Kind::Kernel(Plan { op: Op::Each(_), .. }) => {
            "Take this one element: which thread writes it, and which numbers should it come from?"
        }
        source::Kind::Kernel(Plan { op: Op::Max | Op::Min | Op::Range, .. }) => {
            "Which elements are never compared? Take the smallest input that fails, and a pencil."
        }
        source::Kind::Program(_) => {
            "Follow the numbers line by line: in whose memory are they after each of them?"
        }
        _ => {
            "Which elements are left out or counted twice? Take the smallest input that fails, and a pencil."
        }
    }
}

/// What to think about an answer that fails in this way.
fn of_fault(fault: Fault) -> Option<&'static str> {
    Some(match fault {
        Fault::Found(kind) => return of_kind(kind),
        Fault::MissingFile => "The task can be brought back at any time.",
        Fault::NotAllowed => "What does the answer need besides what it is given?",
        Fault::CompileError => "Begin with the first error: those that follow may come from it.",
        Fault::MissingKernel => "The host finds a kernel by its name, and gives it arguments by their order.",
        Fault::MissingFunction => "The checker calls the function by its name, with one slice of numbers.",
        Fault::Panic => "Which index or which addition does Rust refuse, and for which length?",
        Fault::Crash => "What ends the whole program, and for which length?",
        Fault::StackOverflow => {
            "How deep does the recursion go for n elements, and does it end for an empty array?"
        }
        Fault::TimeLimit => "Does every call get a shorter array than the one before?",
        Fault::WrongResult => return None,
        Fault::NothingWritten => "Which thread should write the result, and does it reach that line?",
        Fault::InputChanged => "The input is only to be read: where can the intermediate sums go instead?",
        Fault::NotReproducible => {
            "Which additions are made in the order in which threads or blocks happen to arrive?"
        }
        Fault::Unfenced => {
            "What makes a block's result visible before the counter that announces it, and what keeps \
             another block from reading it before it has seen the counter?"
        }
        Fault::NotReset => {
            "What do the file's `__device__` variables hold when the kernel is launched again?"
        }
        Fault::Waits => "Which block needs no other one to run, because all others have done their part?",
        Fault::Overflow => {
            "What is the difference of the largest and the smallest `int`, and does an `int` hold it?"
        }
        Fault::WrongNumber => {
            "Take one warp and one step, and count. What do the other warps and the other steps add?"
        }
        Fault::WrongLine => "Which two lines touch the same element, with nothing in between to order them?",
        Fault::OneThread => "How could the other threads of the block share this work, step by step?",
        Fault::OneBlock => "How could the other blocks of the grid share this work?",
        Fault::Atomics => {
            "Which threads could combine their numbers first, so that few are left for the atomic operation?"
        }
        Fault::Launches => "Which part of the work is the child's, and who launches it?",
        Fault::TailLaunch => "When does a tail launch start, and when does a fire-and-forget launch?",
        Fault::Work => "Which steps are made more often than the result needs them?",
        Fault::LeftEarly => "Which threads reach this barrier, and which have already left the kernel?",
        Fault::FromTheHost => "Which line computes what is printed, and does the GPU execute it?",
        Fault::Goal => "Where does it do more than it has to?",
    })
}

/// What to think about where this counter is over its goal; none of what only one exercise counts.
fn of_counter(name: &str) -> Option<&'static str> {
    Some(match name {
        "divergent branches" => "Which lanes of a warp go which way at this branch, in each step?",
        "global load requests (one per warp)" => {
            "Which numbers are loaded more than once, and could be kept or loaded together?"
        }
        "global load sectors" => {
            "Which sectors do the 32 lanes of a warp touch in one load, and how much of each do they use?"
        }
        "global store sectors" => "Which stores does nobody outside the block ever read?",
        "shared bank conflicts" => {
            "Which words do the lanes of a warp touch together, and in which banks are they?"
        }
        "barrier arrivals (one per warp)" => "At which barriers does most of the block wait for nothing?",
        "atomic operations" | "atomic operations (on global memory)" => {
            "Which threads have to make an atomic operation, and which could leave it to another?"
        }
        "device launches" => "How many levels are there, and how many children does each of them launch?",
        "allocations" => "What is stored once more that is there already?",
        _ => return None,
    })
}
