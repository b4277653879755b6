//! What takes more than a page has: compilers and other programs, a GPU, cores. In a page `no_machine.rs`
//! takes its place.
//!
//! | file | job |
//! | --- | --- |
//! | `installed.rs` | nvcc or clang on this machine |
//! | `gpu.rs` | an answer on a GPU, beside the solution |
//! | `rust.rs`, `harness.rs` | marks the exercises in Rust; the program that calls their functions |
//! | `calls.rs` | how often, and how deep, they call each other |
//! | `tokens.rs` | what they bring in from elsewhere, or remember |

mod calls;
pub mod gpu;
pub mod installed;
pub mod rust;
mod tokens;

use anyhow::Result;
use rayon::prelude::*;

/// What `work` gives for each of `items`, on all cores.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Result<R> + Sync + Send) -> Result<Vec<R>> {
    items.par_iter().map(work).collect()
}
