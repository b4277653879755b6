//! How words, numbers, tables and files are written so that nothing is lost.
//!
//! | file | question |
//! | --- | --- |
//! | `say.rs` | how do words reach a reader, and what if they don't? |
//! | `number.rs` | how is a number written? |
//! | `arguments.rs` | how is a number read that somebody typed? |
//! | `expression.rs` | what is the value of a small expression of C? |
//! | `near.rs` | which word did somebody mean? |
//! | `printed.rs` | what is shown of what a kernel prints? |
//! | `columns.rs` | how does a table look in a terminal, in Markdown and in HTML? |
//! | `files.rs` | how is a file written whole? |
//! | `path.rs` | how is a path shown, and how do committed files hold it? |
#![warn(missing_docs)]

// Of which clone this is built: .cargo/config.toml.
const _: Option<&str> = option_env!("WORKBOOK_CLONE");

pub mod arguments;
pub mod columns;
pub mod expression;
pub mod files;
pub mod near;
pub mod number;
pub mod path;
pub mod printed;
pub mod say;
