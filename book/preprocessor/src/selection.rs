//! A part of a record: some of its kernels, at one size and block. Tables and charts show it as they show a
//! whole one.

use anyhow::{Result, ensure};
use workbook::record::chart::{Chart, SERIES};
use workbook::record::{Record, Run, Section};

use crate::records::{run, runs};
use crate::words::pick;

/// `record` with these kernels alone, in this order; without any, with all.
pub fn of_kernels(record: &Record, kernels: &[&str]) -> Result<Record> {
    let mut part = record.clone();
    if kernels.is_empty() {
        return Ok(part);
    }
    let all = || runs(record).chain(record.all_section_runs().map(|(_, run)| run));
    for kernel in kernels {
        pick(all(), kernel, |run| &run.kernel, "the record has no kernel")?;
    }
    let place = |run: &Run| kernels.iter().position(|kernel| *kernel == run.kernel);
    let sections = part.sections.values_mut().filter_map(|section| match section {
        Section::Runs(runs) => Some(runs),
        Section::Other(_) => None,
    });
    for runs in [&mut part.runs, &mut part.sweep].into_iter().chain(sections) {
        runs.retain(|run| place(run).is_some());
        runs.sort_by_key(place);
    }
    Ok(part)
}

/// The same, with the runs at `n` elements in blocks of `block` in place of those at the record's.
pub fn at(record: &Record, kernels: &[&str], n: Option<u64>, block: Option<u32>) -> Result<Record> {
    let part = of_kernels(record, kernels)?;
    if kernels.is_empty() && n.is_none() && block.is_none() {
        return Ok(part);
    }
    let mut names: Vec<&str> = Vec::new();
    for run in runs(&part) {
        if !names.contains(&run.kernel.as_str()) {
            names.push(&run.kernel);
        }
    }
    let n = n.unwrap_or(record.n);
    let runs: Vec<Run> =
        names.iter().map(|name| run(record, name, n, block).cloned()).collect::<Result<_>>()?;
    let block = block.or(common_block(&runs)).unwrap_or(record.block);
    // The charts still draw the runs that these take the place of.
    let replaced = part.runs.into_iter().filter(|run| !runs.contains(run));
    let sweep = replaced.chain(part.sweep).collect();
    Ok(Record { n, block, runs, sweep, ..part })
}

/// Threads per block, if they are the same for all kernels.
fn common_block(runs: &[Run]) -> Option<u32> {
    let mut blocks = runs.iter().map(|run| run.block).filter(|block| *block > 0);
    let first = blocks.next()?;
    blocks.all(|block| block == first).then_some(first)
}

/// The chart; refused if it would have too many lines.
pub fn few_lines(chart: &Chart) -> Result<&Chart> {
    ensure!(
        chart.left_out == 0,
        "the chart has {} lines, and a reader follows {SERIES} at most; say which: kernel=A,B",
        SERIES + chart.left_out
    );
    Ok(chart)
}
