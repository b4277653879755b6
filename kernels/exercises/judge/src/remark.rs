//! What is remarked on an answer that passes: right, and yet something that its writer should know.

use program::KernelRun;
use text::number::thousands;

use super::run::Outcome;

/// Threads that a GPU executes together.
const GROUP: u64 = 32;

/// A barrier that opened when some threads of its block had left the kernel, for some of the inputs; else
/// nothing. It waits for the others alone (PTX ISA, `barrier`), but CUDA allows it in a condition only where
/// that is the same for all threads of the block (CUDA C++ Programming Guide, Synchronization Functions).
pub fn of_barriers<'a>(mut outcomes: impl Iterator<Item = &'a Outcome>) -> String {
    let Some((threads, line)) = outcomes.find_map(|outcome| outcome.exited) else { return String::new() };
    let threads = counted(threads.into());
    format!(
        "One thing to mind: {threads} of the block did not come to the barrier in line {line}. It opened, \
         since they had ended; but by CUDA's rules either all threads of a block come to a barrier, or none. \
         Let all come, and guard what each one reads and writes."
    )
}

/// Launches with many blocks of a few threads each; else nothing.
pub fn of_launches(kernels: &[KernelRun]) -> String {
    let product = |(x, y, z): (u32, u32, u32)| [x, y, z].map(u64::from).iter().product::<u64>();
    let sizes = kernels.iter().map(|run| (product(run.config.grid_dim), product(run.config.block_dim)));
    let Some((blocks, threads)) = sizes.into_iter().find(|(blocks, threads)| *blocks > 1 && *threads < GROUP)
    else {
        return String::new();
    };
    format!(
        "One thing to mind: it starts {} blocks of {}. A GPU executes the threads of a block {GROUP} at a \
         time, so most of its places stay empty: blocks of 256 threads are a good first choice.",
        thousands(blocks as i64),
        counted(threads)
    )
}

fn counted(threads: u64) -> String {
    if threads == 1 { "one thread".into() } else { format!("{} threads", thousands(threads as i64)) }
}
