//! Code of one chapter that its tests or the book need too.

pub mod legacy;
pub mod limit;
pub mod memory_spaces;
pub mod nested;
pub mod quadrature;
pub mod summation_depth;

use anyhow::Result;

use crate::chapters::limit::{comparison, comparison_charts};
use crate::record::chart::{self, Chart};
use crate::record::{Record, table};

/// The tables of `record`, those of a single chapter behind those that all have. At most 100 columns, ends in
/// a newline.
pub fn table(record: &Record) -> String {
    let of_chapters = [comparison::table(record), memory_spaces::table(record)];
    let of_chapters = of_chapters.iter().filter(|text| !text.is_empty()).map(|text| format!("\n{text}"));
    table::table(record) + &of_chapters.collect::<String>()
}

/// The charts that `record` has data for, those of a single chapter behind those that all have.
///
/// # Errors
/// A chart that cannot be drawn.
pub fn charts(record: &Record) -> Result<Vec<Chart>> {
    let mut charts = chart::charts(record, &comparison_charts::references(record))?;
    charts.extend(comparison_charts::charts(record)?);
    Ok(charts)
}
