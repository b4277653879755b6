//! The chapters, each in a module of its stem. An example of that name runs it; the book and its pages show
//! it.

pub mod ch1_serial;
pub mod ch2_parallel;
pub mod ch3_blocks;
pub mod ch4_legacy;
pub mod ch4_nested;
pub mod ch4_quadrature;
pub mod ch4_ragged;
pub mod ch4_when_it_pays;
pub mod ch5_shared;
pub mod ch6_in_use;
pub mod ch6_operators;
pub mod ch7_libraries;
pub mod ch7_limit;
pub mod ch8_combine;
pub mod ch8_many_gpus;
pub mod ch8_streamed;

use anyhow::Result;
use workbook::chapter::{Chapter, Extras};
use workbook::figure::Figure;
use workbook::record::Record;
use workbook::record::chart::{Chart, Vertical};
use workbook::text::columns::Column;

/// All chapters, in the order of their names.
pub static CHAPTERS: &[&Chapter] = &[
    &ch1_serial::CHAPTER,
    &ch2_parallel::CHAPTER,
    &ch3_blocks::CHAPTER,
    &ch4_legacy::CHAPTER,
    &ch4_nested::CHAPTER,
    &ch4_quadrature::CHAPTER,
    &ch4_ragged::CHAPTER,
    &ch4_when_it_pays::CHAPTER,
    &ch5_shared::CHAPTER,
    &ch6_in_use::CHAPTER,
    &ch6_operators::CHAPTER,
    &ch7_libraries::CHAPTER,
    &ch7_limit::CHAPTER,
    &ch8_combine::CHAPTER,
    &ch8_many_gpus::CHAPTER,
    &ch8_streamed::CHAPTER,
];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chapter_is_listed() {
        let files = std::fs::read_dir(workbook::root().unwrap().join("chapters/src")).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let mut stems: Vec<_> = paths.map(|path| path.file_stem().unwrap().to_owned()).collect();
        stems.retain(|stem| stem != "lib");
        stems.sort();
        let listed: Vec<_> = CHAPTERS.iter().map(|chapter| chapter.stem).collect();
        assert_eq!(stems, listed);
    }
}
