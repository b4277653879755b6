//! The C library, by the headers of C.
//!
//! | file | header |
//! | --- | --- |
//! | `heap.rs` | `<stdlib.h>`: `malloc` and its like; `new` and `delete` |
//! | `output.rs` | `<stdio.h>`: `printf` and its like |

mod heap;
mod output;

pub use heap::Heap;

use crate::runtime::Natives_;

/// All functions.
pub const NATIVES: &[&Natives_] = &[heap::NATIVES, output::NATIVES];

/// What the C library keeps.
#[derive(Debug, Default)]
pub struct Libc {
    pub heap: Heap,
    /// Functions that are called at the end, the last first.
    pub at_exit: Vec<u64>,
    /// Whether the program asked what time it is.
    pub asked_for_times: bool,
}
