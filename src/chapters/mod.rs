//! Code of one chapter that its tests or the book need too; everything else of one chapter lies in
//! `examples/`.
//!
//! | file | chapter |
//! | --- | --- |
//! | `ch4_nested.rs` | 4: how its kernels unfold, how many launches may be pending |
//! | `ch4_when_it_pays.rs` | 4: the passes of its recursions |
//! | `ch4_quadrature.rs` | 4: the area under a curve, as a recursion on the CPU |
//! | `ch5_memory_spaces.rs` | 5: what a load from each memory space costs |
//! | `ch6_summation_depth.rs` | 6: how many additions an element passes through |
//! | `ch7_limit/` | 7: what its last rung runs for which size; the comparison with CUB; the sweep behind it |

pub mod ch4_nested;
pub mod ch4_quadrature;
pub mod ch4_when_it_pays;
pub mod ch5_memory_spaces;
pub mod ch6_summation_depth;
pub mod ch7_limit;

use anyhow::Result;

use crate::chapters::ch7_limit::{comparison, comparison_charts};
use crate::record::chart::{self, Chart};
use crate::record::{Record, table};

/// The tables of `record`, those of a single chapter after those that all have. At most 100 columns, ends in
/// a newline.
pub fn table(record: &Record) -> String {
    let of_chapters = [comparison::table(record), ch5_memory_spaces::table(record)];
    let of_chapters = of_chapters.iter().filter(|text| !text.is_empty()).map(|text| format!("\n{text}"));
    table::table(record) + &of_chapters.collect::<String>()
}

/// The charts that `record` has data for, those of a single chapter after those that all have.
///
/// # Errors
/// A chart that cannot be drawn.
pub fn charts(record: &Record) -> Result<Vec<Chart>> {
    let mut charts = chart::charts(record, &comparison_charts::references(record))?;
    charts.extend(comparison_charts::charts(record)?);
    Ok(charts)
}
