//! What a cell needs to run in the page, as the JSON of its `data-live`: `book/theme/live.js` reads it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use chapters::CHAPTERS;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use workbook::build::clang::HEADERS;
use workbook::build::kernels::{self, Build};
use workbook::build::prebuilt::LEGACY;
use workbook::build::what_if::{self, Edit};
use workbook::chapter::{Chapter, Place};
use workbook::files::write_whole;
use workbook::record::{DeviceKind, Record, Run};

use crate::exercise_files;
use crate::page::Workbook;
use crate::records::{committed, runs};
use crate::selection;

/// What lies beside the page's WebAssembly.
#[derive(Deserialize)]
struct Manifest {
    /// The chapters that it runs, of which alone there are live cells.
    chapters: Vec<String>,
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
    chart: Option<&'a str>,
    scale: Option<&'a str>,
    /// Whether it shows what the simulator says.
    message: bool,
    file: &'a str,
    /// Whether the page's compiler can compile the file, so that a reader can edit it.
    edits: bool,
    /// Those that change what the cell runs: `name`, `label` and the new `lines`.
    what_ifs: Vec<Value>,
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
    let in_page = in_page(workbook)?;
    let Some(chapter) = in_page.into_iter().find(|chapter| chapter.stem == stem) else {
        return Ok(String::new());
    };
    let Some(record) = committed(workbook, stem, DeviceKind::Sim)? else { return Ok(String::new()) };
    let Ok(build) = kernels::get(stem) else { return Ok(String::new()) }; // it was edited since
    let known = |kernel: &&str| runs(&record).any(|run| run.kernel == **kernel);
    let kernels: Vec<&str> = asked.kernels.iter().copied().filter(known).collect();
    if kernels.is_empty() && !asked.kernels.is_empty() {
        return Ok(String::new());
    }
    let most = most(&record, &kernels).min(chapter.place.most_simulated()).max(record.n);
    // Sizes that a GPU was given take long here: without a recorded count to compare with, the chapter's own.
    let n = asked.n.filter(|n| *n <= most && asked.shows_simulator).unwrap_or(record.n);
    let in_one_block = chapter.place == Place::OneBlock;
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
        grids: chapter.place == Place::GridStride,
        pending: chapter.pending_launches,
        columns: if asked.shows_simulator { asked.columns.clone() } else { Vec::new() },
        chart: asked.chart.filter(|_| asked.shows_simulator),
        scale: asked.scale.filter(|_| asked.shows_simulator),
        message: asked.message,
        file: &build.source_path,
        edits: can_be_edited(workbook, build, &kernels),
        what_ifs: what_ifs(workbook, build, &kernels)?,
        kernels,
    };
    // In single quotes the JSON's own need no escape.
    let json =
        serde_json::to_string(&live)?.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&#39;");
    Ok(format!(" data-live='{json}'"))
}

/// Whether clang compiles what the cell runs: it is not of the CUDA of 2020, includes what [`HEADERS`] has,
/// and no kernel asks for clusters, which clang 22 does not know.
fn can_be_edited(workbook: &Workbook, build: &Build, kernels: &[&str]) -> bool {
    let headers = workbook.root.join(HEADERS);
    let included = |line: &str| Some(line.strip_prefix("#include <")?.split_once('>')?.0.to_string());
    let is_known = |header: String| headers.join(header).is_file();
    let anchored = |kernel: &&str| {
        let (_, from) = build.source.split_once(&format!("// ANCHOR: {kernel}\n"))?;
        from.split("// ANCHOR_END").next()
    };
    let in_clusters = kernels.iter().filter_map(anchored).any(|text| text.contains("__cluster_dims__"));
    !build.source_path.starts_with(LEGACY)
        && !in_clusters
        && build.source.lines().filter_map(included).all(is_known)
}

/// Writes what the pages fetch into `live/` in `pages`: the builds of the chapters' kernels, `STEM.json`, and
/// the headers of the page's compiler by path, `headers.json`; and the exercises, `exercises.json`.
///
/// # Errors
/// A file that cannot be written, or the manifest or a header read.
pub fn write_builds(workbook: &Workbook, pages: &Path) -> Result<()> {
    let chapters = in_page(workbook)?;
    for build in chapters.iter().filter_map(|chapter| kernels::get(chapter.stem).ok()) {
        write(pages, &build.stem, build)?;
    }
    if chapters.is_empty() {
        return Ok(()); // so nothing compiles
    }
    write(pages, "headers", &headers(&workbook.root)?)?;
    write(pages, "exercises", &exercise_files::texts(&workbook.root)?)
}

/// The text of each file in [`HEADERS`], by its path where the repository is `/`.
fn headers(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut headers = BTreeMap::new();
    for file in std::fs::read_dir(root.join(HEADERS)).with_context(|| format!("cannot read {HEADERS}"))? {
        let path = format!("{HEADERS}/{}", file?.file_name().display());
        let text =
            std::fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
        headers.insert(format!("/{path}"), text);
    }
    Ok(headers)
}

/// Writes `live/NAME.json`. mdBook watches that folder, so what is there already is left alone.
fn write(pages: &Path, name: &str, value: &impl Serialize) -> Result<()> {
    let path = pages.join("live").join(format!("{name}.json"));
    let json = serde_json::to_vec(value)?;
    if std::fs::read(&path).ok().as_ref() != Some(&json) {
        write_whole(&path, json).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The chapters that the page's WebAssembly runs.
pub fn in_page(workbook: &Workbook) -> Result<Vec<&'static Chapter>> {
    let path = workbook.root.join("book/src/live/manifest.json");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: Manifest = serde_json::from_slice(&text)
        .with_context(|| format!("{}: build it again, as the README says", path.display()))?;
    let runs = |chapter: &&&Chapter| manifest.chapters.iter().any(|stem| stem == chapter.stem);
    Ok(CHAPTERS.iter().filter(runs).copied().collect())
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

/// The edits of the chapter's kernels that change what the cell runs, as far as they suit the kernels as they
/// stand.
fn what_ifs(workbook: &Workbook, build: &Build, kernels: &[&str]) -> Result<Vec<Value>> {
    let matters = |edit: &Edit| {
        let changes_one = edit.kernels.iter().any(|kernel| kernels.contains(&kernel.as_str()));
        edit.stem == build.stem && (kernels.is_empty() || changes_one)
    };
    let of_edit = |edit: Edit| {
        let (_, changed) = edit.apply(&build.source).ok()?;
        let lines: Vec<_> = changed.iter().map(|(line, text)| json!({"line": line, "text": text})).collect();
        Some(json!({"name": edit.name, "label": edit.label, "lines": lines}))
    };
    Ok(what_if::all(&workbook.root)?.into_iter().filter(matters).filter_map(of_edit).collect())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Workbook, can_be_edited, kernels};

    #[test]
    fn what_clang_cannot_compile_is_not_for_editing() {
        let book = Workbook::new(workbook::ROOT.into(), PathBuf::new(), PathBuf::new());
        let edits = |stem, kernel| can_be_edited(&book, kernels::get(stem).unwrap(), &[kernel]);
        assert!(edits("ch3_blocks", "reduceNeighbored"));
        assert!(edits("ch6_in_use", "sumTheRows"));
        assert!(!edits("ch7_libraries", "sumByCub"), "no CUB");
        assert!(!edits("ch4_legacy", "gpuRecursiveReduce"), "not the CUDA of 2020");
        assert!(edits("ch4_when_it_pays", "gpuRecursiveReducePasses"));
        assert!(!edits("ch4_when_it_pays", "gpuRecursiveReduceCluster"), "no clusters");
    }
}
