//! A blank page, which any right answer fills: what the answer costs, beside the reader's own best and the
//! kernels of a chapter's record.

use std::path::Path;

use anyhow::{Context, Result};
use text::columns::Column;
use text::number::{size, thousands};
use workbook::record::Record;

use super::goal;
use super::info::Rungs;
use super::said::Part;
use super::verdict::Counts;

/// A counter, as the simulator calls it, and its column.
const COLUMNS: [(&str, &str); 5] = [
    ("warp_instructions", "instructions"),
    ("global_load_requests", "load requests"),
    ("global_load_sectors", "load sectors"),
    ("barriers", "barrier arrivals"),
    ("atomics", "atomics"),
];

/// A line of the table.
struct Row {
    name: String,
    /// In the order of [`COLUMNS`].
    counts: Vec<u64>,
}

/// What an answer costs, beside the reader's best one before (nothing, if there was none) and the kernels of
/// `rungs`.
///
/// # Errors
/// The record cannot be read, or lacks a kernel.
pub fn compared(rungs: &Rungs, root: &Path, yours: &Counts, best: &[u64]) -> Result<Vec<Part>> {
    let record = Record::read(&root.join(rungs.file()))?;
    let mut rows = vec![Row { name: "yours".into(), counts: counts(yours) }];
    if !best.is_empty() {
        rows.push(Row { name: "your best before".into(), counts: best.into() });
    }
    for kernel in &rungs.kernels {
        rows.push(row(rungs, &record, kernel)?);
    }
    let column = |at: usize| {
        let cells = rows.iter().map(|row| row.counts.get(at).map_or("-".into(), number));
        Column::right(COLUMNS[at].1, cells)
    };
    let names = Column::left(&format!("n = {}", size(rungs.n)), rows.iter().map(|row| row.name.clone()));
    let columns = std::iter::once(names).chain((0..COLUMNS.len()).map(column)).collect();
    let remark = format!(
        "Yours is compiled by {}, and counted with {} threads per block; the kernels of the book are \
         compiled by {}, and each has the blocks of its chapter. Your best is the one with the fewest \
         instructions: the simulator counts, and measures no time.",
        yours.compiler,
        yours.at.map_or(0, |case| case.block),
        record.compiler.as_deref().unwrap_or("nvcc"),
    );
    Ok(vec![Part::Gap, Part::Table { columns, of: "What the answer costs" }, Part::Prose(remark)])
}

fn row(rungs: &Rungs, record: &Record, kernel: &str) -> Result<Row> {
    let run = record.runs.iter().find(|run| run.kernel == kernel && run.n == rungs.n);
    let counters = run.and_then(|run| run.counters.as_ref());
    let counters = counters.with_context(|| format!("{} has no {kernel}", rungs.file()))?;
    let counts = COLUMNS.map(|(field, _)| goal::counter(counters, field).unwrap_or_default());
    Ok(Row { name: kernel.to_string(), counts: counts.into() })
}

/// What an answer costs, in the order of [`COLUMNS`]: what it has none of is not among its counts.
pub fn counts(of: &Counts) -> Vec<u64> {
    let count = |field| of.rows.iter().find(|row| row.name == goal::name(field)).map_or(0, |row| row.yours);
    COLUMNS.map(|(field, _)| count(field)).into()
}

fn number(count: &u64) -> String {
    thousands(*count as i64)
}
