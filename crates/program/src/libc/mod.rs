//! The C library, by the headers of C.
//!
//! | file | header |
//! | --- | --- |
//! | `heap.rs` | `<stdlib.h>`: `malloc` and its like; `new` and `delete` |
//! | `numbers.rs` | `<stdlib.h>`: numbers in text |
//! | `random.rs` | `<stdlib.h>`: random numbers |
//! | `sort.rs` | `<stdlib.h>`: `qsort`, `bsearch` |
//! | `ends.rs` | `<stdlib.h>`, `<assert.h>`: how a program ends itself |
//! | `environment.rs` | `<stdlib.h>`: the environment |
//! | `output.rs` | `<stdio.h>`: `printf` and its like |
//! | `input.rs` | `<stdio.h>`: `scanf` and its like |
//! | `scan.rs` | what `scanf` reads by a format |
//! | `files.rs` | `<stdio.h>`: files |
//! | `string.rs` | `<string.h>` |
//! | `ctype.rs` | `<ctype.h>` |
//! | `math.rs` | `<math.h>` |
//! | `time.rs` | `<time.h>` |
//! | `variables.rs` | `errno` and the library's other variables |
//! | `process.rs` | `<errno.h>`, `<unistd.h>`, `<locale.h>`: the process and its machine |

mod ctype;
mod ends;
mod environment;
mod files;
mod heap;
mod input;
mod math;
mod numbers;
mod output;
mod process;
mod random;
mod scan;
mod sort;
mod string;
mod time;
mod variables;

pub use ends::Ends;
pub use files::Files;
pub use math::compute;

use crate::runtime::Natives_;

/// All functions; those of the table of `<math.h>` are not among them.
pub const NATIVES: &[&Natives_] = &[
    ctype::NATIVES,
    ends::NATIVES,
    environment::NATIVES,
    files::NATIVES,
    heap::NATIVES,
    input::NATIVES,
    math::NATIVES,
    numbers::NATIVES,
    output::NATIVES,
    process::NATIVES,
    random::NATIVES,
    sort::NATIVES,
    string::NATIVES,
    time::NATIVES,
];
