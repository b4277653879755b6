//! What a cell needs to run in the page, as the JSON of its `data-live`: `book/theme/live.js` reads it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use workbook::build::kernels;
use workbook::record::{DeviceKind, Record, Run};

use crate::page::Workbook;
use crate::records::{committed, runs};
use crate::selection;

/// What the crate `crates/page` leaves beside its WebAssembly. A chapter that is not in it has no live cell.
#[derive(Deserialize)]
struct Manifest {
    chapters: BTreeMap<String, Chapter>,
    what_ifs: BTreeMap<String, Vec<WhatIf>>,
}

/// What a chapter's command line allows.
#[derive(Deserialize)]
struct Chapter {
    place: String,
    /// The most elements that it takes on the simulator.
    most_n: u64,
    pending_launches: bool,
}

/// A small edit of a chapter's kernels, built beside them.
#[derive(Clone, Deserialize, Serialize)]
struct WhatIf {
    name: String,
    /// Follows the words "what if".
    label: String,
    #[serde(skip_serializing)]
    kernels: Vec<String>,
    lines: Vec<Line>,
}

#[derive(Clone, Deserialize, Serialize)]
struct Line {
    line: u32,
    text: String,
}

/// The attribute's JSON.
#[derive(Serialize)]
struct Live<'a> {
    stem: &'a str,
    /// None: the chapter's story.
    kernels: Vec<&'a str>,
    n: u64,
    block: Option<u32>,
    /// What the chapter takes where its command line says nothing, and whether the cell's says something.
    own_n: u64,
    own_block: u32,
    asks_n: bool,
    asks_block: bool,
    /// The largest n on offer.
    most: u64,
    /// Whether `--block` and `--grid` mean something here.
    blocks: bool,
    grids: bool,
    pending: bool,
    columns: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chart: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<&'a str>,
    /// Whether it shows what the simulator says.
    message: bool,
    file: &'a str,
    what_ifs: Vec<WhatIf>,
}

/// What the page's directive says of its cell.
pub struct Asked<'a> {
    pub kernels: Vec<&'a str>,
    pub n: Option<u64>,
    pub block: Option<u32>,
    pub columns: Vec<&'a str>,
    pub chart: Option<&'a str>,
    pub scale: Option<&'a str>,
    pub message: bool,
    /// Whether a record of the simulator is on show.
    pub shows_simulator: bool,
}

/// Thread instructions that a run in the page may take: two seconds of them.
const BUDGET: f64 = 2.0 * 150e6;
/// Sizes on offer are powers of two, this one the largest.
const LARGEST: u64 = 1 << 20;

/// The attribute of the cell's element, with a blank before it; empty if the simulator cannot run the cell.
pub fn attribute(workbook: &Workbook, stem: &str, asked: &Asked) -> Result<String> {
    let Some(manifest) = manifest(workbook)? else { return Ok(String::new()) };
    let Some(chapter) = manifest.chapters.get(stem) else { return Ok(String::new()) };
    let Some(record) = committed(workbook, stem, DeviceKind::Sim)? else { return Ok(String::new()) };
    let known = |kernel: &&str| runs(&record).any(|run| run.kernel == **kernel);
    let kernels: Vec<&str> = asked.kernels.iter().copied().filter(known).collect();
    if kernels.is_empty() && !asked.kernels.is_empty() {
        return Ok(String::new());
    }
    let most = most(&record, &kernels).min(chapter.most_n).max(record.n);
    // Sizes that a GPU was given take long here: without a recorded count to compare with, the chapter's own.
    let n = asked.n.filter(|n| *n <= most && asked.shows_simulator).unwrap_or(record.n);
    let in_one_block = chapter.place == "one-block";
    // A kernel may choose its own blocks.
    let shown =
        selection::at(&record, &kernels, Some(n), asked.block).map_or(record.block, |part| part.block);
    let live = Live {
        stem,
        n,
        own_n: record.n,
        own_block: shown,
        asks_n: asked.n == Some(n),
        asks_block: asked.block.is_some(),
        most,
        block: Some(shown).filter(|_| !in_one_block),
        blocks: !in_one_block,
        grids: chapter.place == "grid-stride",
        pending: chapter.pending_launches,
        columns: if asked.shows_simulator { asked.columns.clone() } else { Vec::new() },
        chart: asked.chart.filter(|_| asked.shows_simulator),
        scale: asked.scale.filter(|_| asked.shows_simulator),
        message: asked.message,
        file: kernels::all().iter().find(|build| build.stem == stem).map_or("", |build| build.source_path),
        what_ifs: what_ifs(&manifest, stem, &kernels),
        kernels,
    };
    // In single quotes the JSON's own need no escape.
    let json =
        serde_json::to_string(&live)?.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&#39;");
    Ok(format!(" data-live='{json}'"))
}

fn manifest(workbook: &Workbook) -> Result<Option<Manifest>> {
    let path = workbook.root.join(Path::new("book/src/live/manifest.json"));
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest = serde_json::from_slice(&text);
    manifest.map(Some).with_context(|| format!("{}: build it again, as the README says", path.display()))
}

/// The largest power of two that the kernels together sum within [`BUDGET`], judged by the largest recorded
/// run of each.
fn most(record: &Record, kernels: &[&str]) -> u64 {
    let names = || record.runs.iter().map(|run| run.kernel.as_str());
    let counted = |name: &str| {
        let runs = runs(record).filter(|run| run.kernel == name && run.counters.is_some());
        runs.max_by_key(|run| run.n)
    };
    let chosen = if kernels.is_empty() { names().collect() } else { kernels.to_vec() };
    let per_element = |run: &Run| {
        let instructions = run.counters.as_ref().map_or(0, |counters| counters.thread_instructions);
        instructions as f64 / run.n.max(1) as f64
    };
    let per_element: f64 = chosen.into_iter().filter_map(counted).map(per_element).sum();
    let affordable = |n: &u64| *n as f64 * per_element <= BUDGET;
    (6..).map(|exponent| 1 << exponent).take_while(|n| *n <= LARGEST && affordable(n)).last().unwrap_or(0)
}

/// Those that change what the cell runs.
fn what_ifs(manifest: &Manifest, stem: &str, kernels: &[&str]) -> Vec<WhatIf> {
    let of_stem = manifest.what_ifs.get(stem).map(Vec::as_slice).unwrap_or_default();
    let matters = |what_if: &&WhatIf| {
        kernels.is_empty() || what_if.kernels.iter().any(|kernel| kernels.contains(&kernel.as_str()))
    };
    of_stem.iter().filter(matters).cloned().collect()
}
