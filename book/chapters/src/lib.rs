//! The chapters for those who show them, the book and the page. Each is the module of its example,
//! `examples/ch….rs` or `examples/ch…/main.rs`, by its stem; `build.rs` lists them.
// An example begins with the commands that run it.
#![allow(rustdoc::invalid_rust_codeblocks)]

use anyhow::Result;
use workbook::chapter::Extras;
use workbook::figure::Figure;
use workbook::record::Record;
use workbook::record::chart::{Chart, Vertical};
use workbook::text::columns::Column;

include!(concat!(env!("OUT_DIR"), "/chapters.rs"));

/// What the chapter of `record` has beyond its variants.
fn extras(record: &Record) -> Extras {
    let chapter = CHAPTERS.iter().find(|chapter| chapter.stem == record.stem);
    chapter.map_or(Extras::NONE, |chapter| chapter.extras)
}

/// The tables that a record has beyond that of its runs, each as its columns.
///
/// # Errors
/// A section of the record that its chapter cannot read.
pub fn tables(record: &Record) -> Result<Vec<Vec<Column>>> {
    (extras(record).tables)(record)
}

/// The charts that a record has data for.
///
/// # Errors
/// A chart that cannot be drawn.
pub fn charts(record: &Record, vertical: Vertical) -> Result<Vec<Chart>> {
    (extras(record).charts)(record, vertical)
}

/// The figures of all chapters.
pub fn figures() -> impl Iterator<Item = &'static Figure> {
    CHAPTERS.iter().flat_map(|chapter| chapter.extras.figures)
}
