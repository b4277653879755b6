//! mdBook's preprocessor for this book: listings, cells, charts and numbers come from the files of the
//! repository, and whatever is missing fails the build by name.
//!
//! Pages ask for them by directives, `{{#cell ch3_blocks kernel=A,B}}`: the table at the head of `expand.rs`
//! has them all. `\{{#cell STEM}}` is left as it is. mdBook's own includes are refused: they turn a missing
//! anchor into an empty block.
//!
//! | file | job |
//! | --- | --- |
//! | `main.rs` | mdBook's protocol |
//! | `expand.rs` | the directives; replaces those of a page, and collects what is wrong |
//! | `find.rs`, `words.rs` | find them, and read what they say |
//! | `page.rs` | where the book finds what it shows, and the page that is being made |
//! | `cell.rs` | cells |
//! | `live.rs` | what a cell needs to run in the page |
//! | `table.rs` | small tables |
//! | `chart.rs` | charts |
//! | `figure.rs` | figures from traces and records, which play |
//! | `record.rs` | whole records |
//! | `kernels.rs` | the map of all kernels |
//! | `code.rs`, `changes.rs` | listings, and which of their lines are marked as changed |
//! | `exercise.rs` | exercises, and the table of all |
//! | `exercise_files.rs` | what checks of them read in the page |
//! | `term.rs` | terms of the glossary |
//! | `value.rs` | numbers in prose |
//! | `number.rs`, `device.rs` | numbers of kernels; of devices and their memory spaces |
//! | `ncu.rs`, `benches.rs` | what the profiler counted; what the benches have recorded |
//! | `records.rs`, `selection.rs` | find and read records; narrow one to some kernels, a size, a block |
//! | `provenance.rs` | where a record came from, and whether the code has changed since |
//! | `html.rs` | pieces of HTML that several of them are made of |

mod benches;
mod cell;
mod changes;
mod chart;
mod code;
mod device;
mod exercise;
mod exercise_files;
mod expand;
mod figure;
mod find;
mod html;
mod kernels;
mod live;
mod ncu;
mod number;
mod page;
mod provenance;
mod record;
mod records;
mod selection;
mod table;
mod term;
mod value;
mod words;

pub use expand::{Problem, expand};
pub use live::write_builds;
pub use page::Workbook;
pub use term::{Definition, definitions, plain, slug};
