//! mdBook's preprocessor for this book: listings, cells, charts and numbers come from the files of the
//! repository, and whatever is missing fails the build by name.
//!
//! | directive | becomes |
//! | --- | --- |
//! | `{{#cell STEM}}` | the chapter's command; recorded output, charts and their source; the reader's run |
//! | `{{#chart STEM.KIND NAME}}` | one chart of one record |
//! | `{{#code FILE ANCHOR}}` | a listing: what a file has between `ANCHOR: …` and `ANCHOR_END: …` |
//! | `{{#exercise 3.1}}` | an exercise: its task, its code, hints and a solution that fold open |
//! | `{{#speed}}` | how fast the simulator is: the tables of the last recorded `cargo bench` |
//! | `{{#sweep f32}}` | the sweep behind chapter 7's last kernel: the recorded `cargo bench --bench limit` |
//! | `{{#value STEM.KIND KERNEL n=N [block=B] FIELD}}` | one number of a record |
//! | `{{#ratio STEM.KIND KERNEL KERNEL n=N [block=B] FIELD}}` | the first kernel's number over the second's |
//! | `{{#space STEM.KIND SPACE FIELD}}` | what a memory space costs: `clocks` from load to load, `gbps` |
//! | `{{#limit STEM.KIND NAME}}` | a limit of the device |
//!
//! The first six stand alone on a line, the others anywhere in text. `\{{#cell STEM}}` is left as it is.
//! mdBook's own includes are refused: they turn a missing anchor into an empty block.
//!
//! | file | job |
//! | --- | --- |
//! | `main.rs` | mdBook's protocol |
//! | `directives.rs` | finds the directives of a page |
//! | `expand.rs` | replaces them, and collects what is wrong |
//! | `code.rs` | listings |
//! | `cell.rs` | cells |
//! | `exercise.rs` | exercises |
//! | `figure.rs` | charts, and where a record came from, in words |
//! | `speed.rs` | what the benches have recorded |
//! | `value.rs` | numbers in prose |
//! | `space.rs` | the same of memory spaces and limits |
//! | `records.rs` | finds and reads records |
//! | `version.rs` | whether the code has changed since a record was made |

mod cell;
mod code;
mod directives;
mod exercise;
mod expand;
mod figure;
mod records;
mod space;
mod speed;
mod value;
mod version;

use std::path::PathBuf;

pub use expand::{Problem, expand};

/// Where the book finds what it shows.
#[derive(Clone, Debug)]
pub struct Workbook {
    /// The repository: listings are named from here.
    pub root: PathBuf,
    /// The committed records.
    pub records: PathBuf,
    /// Those of the reader's own runs; need not exist.
    pub local: PathBuf,
}
