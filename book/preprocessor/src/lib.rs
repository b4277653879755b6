//! mdBook's preprocessor for this book: listings, cells, charts and numbers come from the files of the
//! repository, and whatever is missing fails the build by name.
//!
//! | directive | becomes |
//! | --- | --- |
//! | `{{#cell STEM kernel=A,B …}}` | `In [k]`, a command; `Out [k]`, what it gave: a table and a chart |
//! | `{{#table STEM.KIND FIELD kernel=A,B n=N,N}}` | a small table: kernels by sizes, blocks or fields |
//! | `{{#chart STEM.KIND NAME kernel=A,B}}` | one chart of one record |
//! | `{{#figure NAME}}` | a figure drawn from a trace or a record, which plays |
//! | `{{#record STEM}}` | everything recorded of a chapter, folded |
//! | `{{#kernels}}` | the map of all kernels, a table per chapter |
//! | `{{#code FILE ANCHOR against=ANCHOR2}}` | a listing: what is between `ANCHOR: …` and `ANCHOR_END: …` |
//! | `{{#exercise 3.1}}` | an exercise: a card with its task, its code, hints and a solution, all folded |
//! | `{{#speed}}` | how fast the simulator is: the tables of the last recorded `cargo bench` |
//! | `{{#sweep f32}}` | the sweep behind chapter 7's last kernel: the recorded `cargo bench --bench limit` |
//! | `{{#value STEM.KIND KERNEL n=N [block=B] FIELD}}` | one number of a record |
//! | `{{#ratio STEM.KIND KERNEL KERNEL n=N [block=B] FIELD}}` | the first kernel's number over the second's |
//! | `{{#space STEM.KIND SPACE FIELD}}` | what a memory space costs: `clocks` from load to load, `gbps` |
//! | `{{#limit STEM.KIND NAME}}` | a limit of the device |
//! | `{{#term SLUG shown words}}` | the words, with what the glossary says of the term |
//!
//! The last five stand anywhere in text, the others alone on a line. `\{{#cell STEM}}` is left as it is.
//! mdBook's own includes are refused: they turn a missing anchor into an empty block.
//!
//! | file | job |
//! | --- | --- |
//! | `main.rs` | mdBook's protocol |
//! | `directives.rs` | finds the directives of a page |
//! | `expand.rs` | replaces them, and collects what is wrong |
//! | `options.rs` | reads the options of a directive |
//! | `selection.rs` | narrows a record to the kernels, size and block of a directive |
//! | `cell.rs` | cells |
//! | `live.rs` | what a cell needs to run in the page |
//! | `table.rs` | small tables |
//! | `record.rs` | whole records |
//! | `kernels.rs` | the map of all kernels |
//! | `figure.rs` | charts, and where a record came from, in words |
//! | `films.rs` | figures from traces and records |
//! | `code.rs` | listings |
//! | `changes.rs` | what marks their changed lines |
//! | `exercise.rs` | exercises |
//! | `term.rs` | the glossary's terms |
//! | `ncu.rs` | what the profiler counted |
//! | `speed.rs` | what the benches have recorded |
//! | `value.rs` | numbers in prose |
//! | `space.rs` | the same of memory spaces and limits |
//! | `records.rs` | finds and reads records |
//! | `version.rs` | whether the code has changed since a record was made |

mod cell;
mod changes;
mod code;
mod directives;
mod exercise;
mod expand;
mod figure;
mod films;
mod kernels;
mod live;
mod ncu;
mod options;
mod record;
mod records;
mod selection;
mod space;
mod speed;
mod table;
mod term;
mod value;
mod version;

use std::path::PathBuf;

pub use expand::{Problem, expand};
pub use live::write_builds;
pub use term::{Definition, definitions, plain, slug};

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
