//! Finds and reads records, and says by name which are missing.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use workbook::record::{DeviceKind, Record, Run};

use crate::Workbook;

pub const KINDS: [DeviceKind; 3] = [DeviceKind::Gpu, DeviceKind::Sim, DeviceKind::Cpu];

/// The committed record of `stem` on a device of `kind`; `None` if there is none.
pub fn committed(workbook: &Workbook, stem: &str, kind: DeviceKind) -> Result<Option<Record>> {
    let path = workbook.records.join(Record::file_name(stem, kind));
    read(&path, stem, kind).map_err(|error| {
        anyhow!("{error:#}\nbring it back: git restore {}\nor {}", path.display(), make(stem, Some(kind)))
    })
}

/// The reader's own record, the same way.
pub fn local(workbook: &Workbook, stem: &str, kind: DeviceKind) -> Result<Option<Record>> {
    let path = workbook.local.join(Record::file_name(stem, kind));
    read(&path, stem, kind)
        .map_err(|error| anyhow!("{error:#}\nit is of a run of yours: delete it, or run the chapter again"))
}

fn read(path: &Path, stem: &str, kind: DeviceKind) -> Result<Option<Record>> {
    if !path.exists() {
        return Ok(None);
    }
    let record = Record::read(path)?;
    if record.stem != stem || record.device.kind != kind {
        bail!("{} holds a record of {} on a {}", path.display(), record.stem, record.device.kind.as_str());
    }
    Ok(Some(record))
}

/// The committed record that a page calls `STEM.KIND`, `ch4_nested.gpu`.
pub fn named(workbook: &Workbook, name: &str) -> Result<Record> {
    let kind_of = |word: &str| KINDS.into_iter().find(|kind| kind.as_str() == word);
    let Some((stem, kind)) = name.rsplit_once('.').and_then(|(stem, kind)| Some((stem, kind_of(kind)?)))
    else {
        bail!(
            "`{name}` names no record; a record is STEM.KIND, with the kind gpu, sim or cpu: ch4_nested.gpu"
        );
    };
    match committed(workbook, stem, kind)? {
        Some(record) => Ok(record),
        None => bail!(missing(workbook, &Record::file_name(stem, kind), stem, Some(kind))),
    }
}

/// What is said of a record of `stem` that does not exist, and how it is made on a device of `kind`.
pub fn missing(workbook: &Workbook, what: &str, stem: &str, kind: Option<DeviceKind>) -> String {
    format!(
        "there is no {what} in {}; there are: {}\n{}",
        workbook.records.display(),
        list(names(workbook)),
        make(stem, kind)
    )
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

/// Names of the committed records, sorted: `ch4_nested.gpu`.
fn names(workbook: &Workbook) -> Vec<String> {
    let Ok(files) = std::fs::read_dir(&workbook.records) else { return Vec::new() };
    let files = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let mut names: Vec<_> = files.filter_map(|name| name.strip_suffix(".json").map(str::to_string)).collect();
    names.sort();
    names
}

/// The chapters with a committed record, sorted: `ch4_nested`.
pub fn stems(workbook: &Workbook) -> Vec<String> {
    let stem = |name: String| name.rsplit_once('.').map(|(stem, _)| stem.to_string());
    let mut stems: Vec<_> = names(workbook).into_iter().filter_map(stem).collect();
    stems.dedup();
    stems
}

/// The run of `kernel` at `n` and `block`; without a block, at the record's own, or at the only one there is.
pub fn run<'a>(record: &'a Record, kernel: &str, n: u64, block: Option<u32>) -> Result<&'a Run> {
    let of_kernel: Vec<&Run> = runs(record).filter(|run| run.kernel == kernel).collect();
    if of_kernel.is_empty() {
        bail!(
            "the record has no kernel `{kernel}`; there are: {}",
            list(runs(record).map(|run| &run.kernel))
        );
    }
    let at_n: Vec<&Run> = of_kernel.iter().copied().filter(|run| run.n == n).collect();
    if at_n.is_empty() {
        bail!("{kernel} has no run at n = {n}; there are: {}", list(of_kernel.iter().map(|run| run.n)));
    }
    let blocks = || list(at_n.iter().map(|run| run.block));
    // Work of the host has no blocks, whatever is asked for.
    let at = |block: u32| at_n.iter().copied().find(|run| run.block == block || run.block == 0);
    match block {
        Some(block) => match at(block) {
            Some(run) => Ok(run),
            None => {
                bail!(
                    "{kernel} has no run at n = {n} with {block} threads per block; there are: {}",
                    blocks()
                )
            }
        },
        None => match at(record.block) {
            Some(run) => Ok(run),
            None if at_n.iter().all(|run| run.block == at_n[0].block) => Ok(at_n[0]),
            None => bail!("{kernel} was run at n = {n} with several blocks, say which: block={}", blocks()),
        },
    }
}

fn runs(record: &Record) -> impl Iterator<Item = &Run> {
    let timed_once = record.all_section_runs().map(|(_, run)| run).filter(|run| run.time_us.is_some());
    record.runs.iter().chain(&record.sweep).chain(timed_once)
}

/// `a, b, c`, each once; `none` if there is nothing.
pub fn list(items: impl IntoIterator<Item = impl ToString>) -> String {
    let mut words: Vec<String> = Vec::new();
    for item in items {
        let word = item.to_string();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() { "none".to_string() } else { words.join(", ") }
}
