//! What a cell needs to run in the page, as the JSON of its `data-live`: `book/theme/live.js` reads it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use chapters::CHAPTERS;
use exercise::{catalogue, code};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use workbook::chapter::{Chapter, Place, Variant};
use workbook::device::DeviceKind;
use workbook::kernel_compiler::build::Build;
use workbook::kernel_compiler::clang::HEADERS;
use workbook::kernel_compiler::prebuilt::LEGACY;
use workbook::kernel_compiler::program::HOST;
use workbook::record::{Record, Run};
use workbook::sim::DeviceProperties;
use workbook::text::files::{read_lines, write_whole};
use workbook::view::{PLAYER, STYLES};
use workbook::what_if::{self, Edit};

use crate::page::Workbook;
use crate::records;
use crate::records::{committed, runs};

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
    /// Whether the simulator runs it; else the CPU does.
    simulated: bool,
    /// None: the chapter's story.
    kernels: Vec<&'a str>,
    n: u64,
    /// None: `--block` changes nothing here.
    block: Option<u32>,
    /// What the chapter takes where its command line says nothing, and whether the cell's says something.
    own_n: u64,
    own_block: u32,
    asks_n: bool,
    asks_block: bool,
    /// The largest n on offer.
    most: u64,
    /// Whether `--grid` and `--pending-launches` change anything here.
    grids: bool,
    pending: bool,
    columns: Vec<&'a str>,
    chart: Option<&'a str>,
    scale: Option<&'a str>,
    /// Whether it shows what the simulator says.
    message: bool,
    /// Its kernels' file, if it has kernels.
    file: Option<&'a str>,
    /// Whether the page's compiler can compile the file, so that a reader can edit it.
    edits: bool,
    /// Those that change what the cell runs: `name`, `label` and the new `lines`.
    what_ifs: Vec<Value>,
}

/// What the page's directive says of its cell.
#[derive(Clone)]
pub struct Asked<'a> {
    pub kernels: Vec<&'a str>,
    pub n: Option<u64>,
    pub block: Option<u32>,
    pub columns: Vec<&'a str>,
    pub chart: Option<&'a str>,
    pub scale: Option<&'a str>,
    pub message: bool,
    /// Whether it shows a record of where the page runs it: the simulator, or the CPU.
    pub is_comparable: bool,
}

/// Thread instructions that a run in the page may take: two seconds of them.
const BUDGET: f64 = 2.0 * 150e6;
/// The fewest and the most threads per block on offer.
const BLOCKS: [u32; 2] = [32, 1024];
/// Sizes on offer are powers of two, this one the largest.
const MAX_ELEMENTS: u64 = 1 << 20;

/// What is known of the page's compiler.
const CLANG: &str = "book/src/live/clang/clang.json";

/// The attribute of the cell's element, with a blank before it; empty if the page cannot run the cell.
pub fn attribute(workbook: &Workbook, stem: &str, asked: &Asked) -> Result<String> {
    let in_page = in_page(workbook)?;
    let Some(chapter) = in_page.into_iter().find(|chapter| chapter.stem == stem) else {
        return Ok(String::new());
    };
    let on_cpu = chapter.place == Place::Cpu;
    let kind = if on_cpu { DeviceKind::Cpu } else { DeviceKind::Sim };
    let Some(record) = committed(workbook, stem, kind)? else { return Ok(String::new()) };
    let build = if on_cpu { None } else { workbook.fresh_kernels(stem) };
    if build.is_none() && !on_cpu {
        return Ok(String::new()); // it was edited since
    }
    let known = |kernel: &&str| runs(record).any(|run| run.kernel == **kernel);
    let kernels: Vec<&str> = asked.kernels.iter().copied().filter(known).collect();
    if kernels.is_empty() && !asked.kernels.is_empty() {
        return Ok(String::new());
    }
    let most = most(record, &kernels).min(chapter.place.most_simulated()).max(record.n);
    // Larger sizes, which a GPU was given, take long here.
    let n = asked.n.filter(|n| *n <= most).unwrap_or(record.n);
    let run =
        |variant: &&Variant| if kernels.is_empty() { variant.story } else { kernels.contains(&variant.name) };
    let variants: Vec<&Variant> = chapter.variants.iter().filter(run).collect();
    let shape = |variant: &Variant, block| {
        (variant.shape)(n, chapter.place.shape_of(n, block), DeviceProperties::H200.multiprocessors)
    };
    // A kernel may choose its own.
    let takes_blocks = |variant: &&Variant| shape(variant, BLOCKS[0]) != shape(variant, BLOCKS[1]);
    let launches = |variant: &&Variant| (variant.launches)(n, shape(variant, BLOCKS[0])).total > 0;
    let blocks = variants.iter().any(takes_blocks);
    let shown = records::at(record, &kernels, Some(n), asked.block).map_or(record.block, |part| part.block);
    let live = Live {
        stem,
        simulated: !on_cpu,
        n,
        own_n: record.n,
        own_block: shown,
        asks_n: asked.n == Some(n),
        asks_block: asked.block.is_some(),
        most,
        block: Some(shown).filter(|_| blocks),
        grids: chapter.place == Place::GridStride,
        pending: chapter.pending_launches && variants.iter().any(launches),
        columns: if asked.is_comparable { asked.columns.clone() } else { Vec::new() },
        chart: asked.chart.filter(|_| asked.is_comparable),
        scale: asked.scale.filter(|_| asked.is_comparable),
        message: asked.message,
        file: build.as_ref().map(|build| &*build.source_path),
        edits: build.as_ref().is_some_and(|build| can_be_edited(workbook, build, &kernels)),
        what_ifs: build.as_ref().map_or(Ok(Vec::new()), |build| what_ifs(workbook, build, &kernels))?,
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

/// Writes what makes figures look and play as they do, which the pages load: `theme/figures.css` in `book`,
/// and `live/player.js` in `pages`.
///
/// # Errors
/// A file that cannot be written.
pub fn write_player(book: &Path, pages: &Path) -> Result<()> {
    keep(&book.join("theme/figures.css"), STYLES.as_bytes())?;
    keep(&pages.join("live/player.js"), PLAYER.as_bytes())
}

/// Writes what the pages fetch into `live/` in `pages`: the builds of the chapters' kernels, `STEM.json`, and
/// the headers of the page's compiler by path, `headers.json`, and those of whole programs,
/// `host_headers.json`; and the exercises, `exercises.json`.
///
/// # Errors
/// A file that cannot be written, or the manifest or a header read.
pub fn write_builds(workbook: &Workbook, pages: &Path) -> Result<()> {
    let chapters = in_page(workbook)?;
    for build in chapters.iter().filter_map(|chapter| workbook.fresh_kernels(chapter.stem)) {
        write(pages, &build.stem, &build)?;
    }
    if chapters.is_empty() {
        return Ok(()); // so nothing compiles
    }
    write(pages, "headers", &headers(&workbook.root, HEADERS)?)?;
    write(pages, "host_headers", &headers(&workbook.root, HOST)?)?;
    write(pages, "exercises", &exercises(&workbook.root)?)
}

/// The text of each file in `folder` and its folders, by its path where the repository is `/`; of
/// [`HEADERS`] without those of whole programs, [`HOST`].
fn headers(root: &Path, folder: &str) -> Result<BTreeMap<String, String>> {
    let mut headers = BTreeMap::new();
    let mut folders = vec![folder.to_string()];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(root.join(&folder)).with_context(|| format!("cannot read {folder}"))? {
            let path = format!("{folder}/{}", file?.file_name().display());
            if root.join(&path).is_dir() {
                folders.extend(Some(path).filter(|path| path != HOST));
                continue;
            }
            let text = read_lines(&root.join(&path)).with_context(|| format!("cannot read {path}"))?;
            headers.insert(format!("/{path}"), text);
        }
    }
    Ok(headers)
}

/// The text of each file that the exercises' program reads in the page, by its path from `root`, the
/// repository. Among them are the tasks as they are given: on disk a reader may have written there.
fn exercises(root: &Path) -> Result<BTreeMap<String, String>> {
    let exercises = catalogue::read(root)?;
    let mut texts = catalogue::for_page(root)?;
    for exercise in &exercises {
        texts.insert(exercise.path.clone(), exercise.stub());
    }
    for path in exercises.iter().flat_map(code::files).chain([CLANG.to_string()]) {
        let text = read_lines(&root.join(&path)).with_context(|| format!("cannot read {path}"))?;
        texts.insert(path, text);
    }
    Ok(texts)
}

/// Writes `live/NAME.json`.
fn write(pages: &Path, name: &str, value: &impl Serialize) -> Result<()> {
    keep(&pages.join("live").join(format!("{name}.json")), &serde_json::to_vec(value)?)
}

/// Has the file hold `content`. mdBook watches its folder, so what is there already is left alone.
fn keep(path: &Path, content: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|held| held == content) {
        return Ok(());
    }
    let cannot = || format!("cannot write {}", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(path)).with_context(cannot)?;
    write_whole(path, content).with_context(cannot)
}

/// The chapters that the page's WebAssembly runs; none, where it is not built.
///
/// # Errors
/// A manifest that cannot be read.
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
    (6..)
        .map(|exponent| 1 << exponent)
        .take_while(|n| *n <= MAX_ELEMENTS && affordable(n))
        .last()
        .unwrap_or(0)
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

    use serde_json::Value;

    use workbook::kernels;

    use super::{Asked, Workbook, attribute, can_be_edited};

    /// What the page's cell of these kernels offers.
    fn live(stem: &str, kernels: &[&str], n: Option<u64>) -> Value {
        let book = Workbook::new(workbook::root().unwrap().to_owned(), PathBuf::new());
        let kernels = kernels.to_vec();
        let columns = Vec::new();
        let block = None;
        let chart = None;
        let scale = None;
        let asked = Asked { kernels, n, block, columns, chart, scale, message: true, is_comparable: false };
        let attribute = attribute(&book, stem, &asked).unwrap();
        let json = attribute.strip_prefix(" data-live='").and_then(|rest| rest.strip_suffix('\'')).unwrap();
        serde_json::from_str(&json.replace("&lt;", "<").replace("&#39;", "'").replace("&amp;", "&")).unwrap()
    }

    #[test]
    fn a_control_stands_where_it_changes_a_grid() {
        let blocks = |stem, kernel| live(stem, &[kernel], None)["block"].is_u64();
        assert!(blocks("ch3_blocks", "reduceNeighbored") && blocks("ch7_limit", "reduceFirstAdd"));
        assert!(!blocks("ch2_parallel", "reduceNeighbored"), "one block, of as many threads as elements");
        assert!(!blocks("ch4_nested", "gpuRecursiveReduceAtOnce"), "32 threads");
        assert!(!blocks("ch7_limit", "reduceLimit"), "chosen by a table");
        let both = ["reduceLimit", "reduceFirstAdd"];
        assert_eq!(live("ch7_limit", &both, None)["block"], 512, "of one of the two");
        let pending = |kernel| live("ch4_when_it_pays", &[kernel], None)["pending"] == true;
        assert!(pending("gpuRecursiveReducePasses") && !pending("reducePass"));
    }

    #[test]
    fn a_cell_begins_with_its_n_where_the_page_can_run_that() {
        let n = |n| live("ch4_nested", &["gpuRecursiveReduce"], Some(n))["n"].as_u64().unwrap();
        assert_eq!((n(1 << 20), n(1000), n(1 << 24)), (1 << 20, 1000, 1 << 16));
    }

    #[test]
    fn what_clang_cannot_compile_is_not_for_editing() {
        let book = Workbook::new(workbook::root().unwrap().to_owned(), PathBuf::new());
        let edits = |stem, kernel| {
            let build = kernels::get(stem).unwrap();
            assert!(build.source.contains(&format!("// ANCHOR: {kernel}\n")), "{stem} has no {kernel}");
            can_be_edited(&book, &build, &[kernel])
        };
        assert!(edits("ch3_blocks", "reduceNeighbored"));
        assert!(edits("ch6_in_use", "lanesPerRow"));
        assert!(edits("ch6_operators", "acquireRelease"), "the header in a folder of its own is known");
        assert!(!edits("ch7_libraries", "reduceBlockReduce"), "no CUB");
        assert!(!edits("ch4_legacy", "gpuRecursiveReduce"), "not the CUDA of 2020");
        assert!(edits("ch4_when_it_pays", "gpuRecursiveReducePasses"));
        assert!(!edits("ch4_when_it_pays", "gpuRecursiveReduceCluster"), "no clusters");
    }
}
