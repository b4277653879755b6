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
//! | `ch8_many_gpus.rs` | 8: what more GPUs would give, as a model |

pub mod ch4_nested;
pub mod ch4_quadrature;
pub mod ch4_when_it_pays;
pub mod ch5_memory_spaces;
pub mod ch6_summation_depth;
pub mod ch7_limit;
pub mod ch8_many_gpus;

use anyhow::Result;

use crate::chapters::ch7_limit::{comparison, comparison_charts};
use crate::record::Record;
use crate::record::chart::{self, Chart, Vertical};
use crate::record::columns::{Column, text_table};

/// The tables of `record` that a single chapter has beyond those that all have, each after an empty line. At
/// most 100 columns.
pub fn table(record: &Record) -> String {
    let tables = tables_of_chapters(record).into_iter();
    tables.map(|columns| format!("\n{}", text_table(&columns))).collect()
}

/// What a single chapter has beyond the table of its runs, each as the columns of one table.
pub fn tables_of_chapters(record: &Record) -> Vec<Vec<Column>> {
    let mut tables = vec![comparison::columns(record)];
    tables.extend(ch5_memory_spaces::columns(record));
    tables.retain(|columns| columns.len() > 1);
    tables
}

/// The charts that `record` has data for, those of a single chapter after those that all have.
///
/// # Errors
/// A chart that cannot be drawn.
pub fn charts(record: &Record, vertical: Vertical) -> Result<Vec<Chart>> {
    let mut charts = chart::charts(record, &comparison_charts::references(record), vertical)?;
    charts.extend(comparison_charts::charts(record, vertical)?);
    charts.extend(ch8_many_gpus::charts(record)?);
    Ok(charts)
}
