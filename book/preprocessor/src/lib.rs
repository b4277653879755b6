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
//! | `directive.rs` | finds them, and reads what they say |
//! | `page.rs` | where the book finds what it shows, and the page that is being made |
//! | `cell.rs` | cells |
//! | `own.rs` | how the reader's own run differs from the recorded one |
//! | `predict.rs` | predictions, around all that answers them |
//! | `live.rs` | what cells and exercises need to run in the page |
//! | `table.rs` | small tables, and those of the benches |
//! | `record.rs` | charts; figures, which play; whole records |
//! | `kernels.rs` | the map of all kernels |
//! | `code.rs` | listings, and which of their lines are marked as changed |
//! | `covered.rs` | marks what a page covers, so that no snippet of the search shows it |
//! | `exercise.rs` | exercises, and the table of all |
//! | `program.rs` | whole programs |
//! | `term.rs` | terms of the glossary |
//! | `title.rs` | the title page and the contents, on paper |
//! | `minutes.rs` | how long pages and exercises take |
//! | `verdict.rs` | kernels of the corpus, with what the simulator finds |
//! | `repository.rs` | where the repository is |
//! | `value.rs` | numbers in prose; those of devices and their memory spaces |
//! | `number.rs` | numbers of kernels |
//! | `ncu.rs` | what the profiler counted |
//! | `records.rs` | finds and reads records; narrows one to some kernels, a size, a block |
//! | `provenance.rs` | where a record came from, and whether the code has changed since |
//! | `version.rs` | the version of the book that a page is of, and what its files are when they are whole |
//! | `html.rs` | pieces of HTML that several of them are made of |

mod cell;
mod code;
mod covered;
mod directive;
mod exercise;
mod expand;
mod html;
mod kernels;
mod live;
mod minutes;
mod ncu;
mod number;
mod own;
mod page;
mod predict;
mod program;
mod provenance;
mod record;
mod records;
mod repository;
mod table;
mod term;
mod title;
mod value;
mod verdict;
mod version;

pub use expand::{Problem, expand};
pub use live::{in_page, write_builds, write_player};
pub use page::Workbook;
pub use repository::address;
pub use term::{Definition, definitions, plain, slug};
pub use title::title_page;
pub use version::{mark, version, write_list};
