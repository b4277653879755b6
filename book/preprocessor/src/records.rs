//! Finds and reads records, and says by name which are missing; a part of one: some of its kernels, at one
//! size and block, which tables and charts show as they show a whole one.

use anyhow::{Context, Result, anyhow, bail, ensure};
use workbook::device::DeviceKind;
use workbook::record::chart::{Chart, SERIES};
use workbook::record::{Record, Run, Section};

use crate::directive::{list, pick};
use crate::page::{RECORDS, Workbook};

pub const KINDS: [DeviceKind; 3] = [DeviceKind::Gpu, DeviceKind::Sim, DeviceKind::Cpu];

/// The committed record of `stem` on a device of `kind`; `None` if there is none.
pub fn committed<'a>(book: &'a Workbook, stem: &str, kind: DeviceKind) -> Result<Option<&'a Record>> {
    let name = format!("{stem}.{}", kind.as_str());
    book.records.get(&name).map(Result::as_ref).transpose().map_err(|error| {
        let make = make(stem, Some(kind));
        anyhow!("{error:#}\nbring it back: git restore {RECORDS}/{name}.json\nor {make}")
    })
}

/// The reader's own record, the same way.
pub fn local(book: &Workbook, stem: &str, kind: DeviceKind) -> Result<Option<Record>> {
    let path = book.local.join(Record::file_name(stem, kind));
    let advice = "it is of a run of yours: delete it, or run the chapter again";
    let read = || Record::read(&path).map_err(|error| anyhow!("{error:#}\n{advice}"));
    path.exists().then(read).transpose()
}

/// The committed record that a page calls `STEM.KIND`, `ch4_nested.gpu`.
pub fn named<'a>(book: &'a Workbook, name: &str) -> Result<&'a Record> {
    let kind_of = |word: &str| KINDS.into_iter().find(|kind| kind.as_str() == word);
    let parts = name.rsplit_once('.').and_then(|(stem, kind)| Some((stem, kind_of(kind)?)));
    let (stem, kind) = parts.with_context(|| {
        format!(
            "`{name}` names no record; a record is STEM.KIND, with the kind gpu, sim or cpu: ch4_nested.gpu"
        )
    })?;
    committed(book, stem, kind)?.with_context(|| missing(book, stem, Some(kind)))
}

/// What is said of a record of `stem` that does not exist, on a device of `kind` or any, and how it is made.
pub fn missing(book: &Workbook, stem: &str, kind: Option<DeviceKind>) -> String {
    let what = kind.map_or(format!("record of `{stem}`"), |kind| Record::file_name(stem, kind));
    let there_are = list(book.records.keys());
    let make = make(stem, kind);
    format!("there is no {what} in {RECORDS}; there are: {there_are}\n{make}")
}

/// The command that makes a committed record.
fn make(stem: &str, kind: Option<DeviceKind>) -> String {
    let device = match kind {
        Some(DeviceKind::Gpu) => "--device gpu ",
        Some(DeviceKind::Sim) => "--device sim ",
        Some(DeviceKind::Cpu) | None => "",
    };
    format!("make it: cargo run --example {stem} -- {device}--record")
}

/// The runs of a record's kernels at its own size and at others.
pub fn runs(record: &Record) -> impl Iterator<Item = &Run> {
    record.runs.iter().chain(&record.sweep)
}

/// The run of `kernel` at `n` and `block`; without a block, at the record's own, or at the only one there is.
pub fn run<'a>(record: &'a Record, kernel: &str, n: u64, block: Option<u32>) -> Result<&'a Run> {
    let timed_once = record.all_section_runs().map(|(_, run)| run).filter(|run| run.time_us.is_some());
    let runs: Vec<&Run> = runs(record).chain(timed_once).collect();
    pick(&runs, kernel, |run| &run.kernel, "the record has no kernel")?;
    let of_kernel: Vec<&Run> = runs.into_iter().filter(|run| run.kernel == kernel).collect();
    let at_n: Vec<&Run> = of_kernel.iter().copied().filter(|run| run.n == n).collect();
    let Some(first) = at_n.first() else {
        bail!("{kernel} has no run at n = {n}; there are: {}", list(of_kernel.iter().map(|run| run.n)));
    };
    let blocks = list(at_n.iter().map(|run| run.block));
    // Work of the host has no blocks, whatever is asked for.
    let at = |block: u32| at_n.iter().copied().find(|run| run.block == block || run.block == 0);
    let only = || Some(*first).filter(|first| at_n.iter().all(|run| run.block == first.block));
    match block {
        Some(block) => at(block).with_context(|| {
            format!("{kernel} has no run at n = {n} with {block} threads per block; there are: {blocks}")
        }),
        None => at(record.block).or_else(only).with_context(|| {
            format!("{kernel} was run at n = {n} with several blocks, say which: block={blocks}")
        }),
    }
}

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
