//! Figures from the committed traces, `book/records/traces/`, and from records.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use workbook::chapters::ch4_quadrature;
use workbook::chapters::ch7_limit::comparison;
use workbook::figure::{self, Bar, Film, Rung};
use workbook::record::columns::escape;
use workbook::sim::trace::Trace;

use crate::page::{Page, Workbook};
use crate::provenance::provenance;
use crate::records::named;
use crate::words::{Words, list};

/// The figures that there are.
const NAMES: [&str; 11] = [
    "race",
    "barrier",
    "divergence",
    "sectors",
    "banks",
    "grids",
    "time",
    "pending",
    "quadrature",
    "flight",
    "ladder",
];

/// One of the figures, as HTML.
pub fn figure(page: &mut Page, words: &Words) -> Result<String> {
    let (book, name) = (page.book, words.of[0]);
    Ok(match name {
        "grids" => with("own", &own_grids(), &film(book, name)?),
        "time" => {
            let (bars, caption) = bars(book)?;
            let data = bars.iter().map(|bar| json!([bar.label, bar.time, bar.launches])).collect();
            with("axis", &data, &figure::axis(&bars, &caption))
        }
        _ => film(book, name)?.html(),
    })
}

/// A film that a script of its own, `book/src/live/film_KIND.js`, makes more of.
fn with(kind: &str, data: &Value, film: &Film) -> String {
    format!("<div data-film=\"{kind}\" data-of=\"{}\">\n{}</div>\n", escape(&data.to_string()), film.html())
}

/// The request for a reader's own grids, and what the sliders offer.
fn own_grids() -> Value {
    let kernels = figure::WAYS.iter().map(|(kernel, _)| format!("--kernel {kernel}"));
    let options = ["--device sim", "--no-sweep", "--steps"].map(str::to_string).into_iter();
    json!({
        "request": {
            "stem": "ch4_nested",
            "options": kernels.chain(options).collect::<Vec<_>>(),
            "show": {"figure": "grids"},
        },
        "n": {"label": "elements", "values": [16, 32, 64, 128, 256], "value": 64},
        "block": {"label": "threads per block", "values": [4, 8, 16, 32], "value": 8},
    })
}

fn film(book: &Workbook, name: &str) -> Result<Film> {
    let trace = |name: &str| -> Result<Trace> {
        let text = book.read(&format!("book/records/traces/{name}.json"))?;
        serde_json::from_str(&text).with_context(|| format!("traces/{name}.json"))
    };
    let chapter_2 = || book.read("kernels/ch2_parallel.cu");
    let film = match name {
        "race" => figure::race(&trace("race-4-first")?, &trace("race-6-first")?, &chapter_2()?),
        "barrier" => {
            let inside = book.read("tests/figures/barrier_inside.cu")?;
            figure::barrier(&trace("barrier")?, &trace("barrier-inside")?, &chapter_2()?, &inside)
        }
        "divergence" => {
            figure::divergence(&[&trace("neighbored")?, &trace("neighbored-less")?, &trace("interleaved")?])
        }
        "sectors" => figure::sectors(&trace("neighbored-less")?, &trace("interleaved")?),
        "banks" => figure::banks(&trace("banks-strided")?, &trace("banks")?),
        "grids" => {
            figure::grids(name, &[&trace("nested-tail")?, &trace("nested-forget")?, &trace("nested-levels")?])
        }
        "quadrature" => ch4_quadrature::film(&trace("quadrature")?),
        "flight" => {
            let spaces = named(book, "ch5_shared.gpu")?.memory_spaces;
            let global = spaces.iter().find(|space| space.space == "global");
            let clocks = global.context("the record has no latency of global memory")?.clocks;
            figure::flight(&trace("load-one")?, &trace("load-eight")?, clocks)
        }
        "ladder" => ladder(book)?,
        "pending" => figure::pending(&trace("pending")?),
        _ => bail!("there is no figure `{name}`; there are: {}", list(NAMES)),
    };
    ensure!(film.tracks.iter().all(|track| !track.frames.is_empty()), "the trace has no steps to show");
    Ok(film)
}

/// The ways of launching the same tree, 2^20 elements in blocks of 512, and the caption of their figure.
pub fn bars(book: &Workbook) -> Result<(Vec<Bar>, String)> {
    const N: u64 = 1 << 20;
    let (nested, pays) = (named(book, "ch4_nested.gpu")?, named(book, "ch4_when_it_pays.gpu")?);
    let levels = u64::from(N.ilog2());
    let mut bars = Vec::new();
    // Launches that follow each other: the kernel's own, and the first grid of the nested ones.
    for (label, record, kernel, launches) in [
        ("a tail launch per block", &nested, "gpuRecursiveReduce", None),
        ("fire-and-forget per block", &nested, "gpuRecursiveReduceFireAndForget", Some(0)),
        ("a tail launch per level", &nested, "gpuRecursiveReduceGridWide", None),
        ("the same levels launched by the host", &pays, "reduceLevel", Some(levels)),
        ("the same levels in a graph", &pays, "reduceLevelGraph", Some(levels)),
    ] {
        let mut runs = record.runs.iter().chain(&record.sweep);
        let run = runs.find(|run| (run.kernel.as_str(), run.n, run.block) == (kernel, N, 512));
        let run = run.with_context(|| format!("{} has no {kernel} at 2^20, 512", record.stem))?;
        let time = run.time_us.with_context(|| format!("{kernel} has no time"))?.median;
        let launches = launches.unwrap_or(run.device_launches.unwrap_or(0) + 1);
        bars.push(Bar { label: label.to_string(), time, launches });
    }
    let caption = "2<sup>20</sup> elements in blocks of 512 threads, medians. The cuts are the launches, \
                   drawn as if each took as long as the others.";
    Ok((bars, format!("{caption} {}", provenance(&nested))))
}

/// The rungs of chapter 7, the work alone.
fn ladder(book: &Workbook) -> Result<Film> {
    const N: u64 = 1 << 30;
    let record = named(book, "ch7_limit.gpu")?;
    let mut rungs = Vec::new();
    for kernel in [
        "reduceSharedTree",
        "reduceSequential",
        "reduceFirstAdd",
        "reduceInFlight",
        "reduceShuffle",
        "reduceVector",
        "reduceSinglePass",
        "reduceLimit",
    ] {
        let (run, time) = comparison::timed(&record, kernel, N, "alone")
            .with_context(|| format!("the record has no {kernel} at 2^30, work alone"))?;
        let bytes = run.n as f64 * f64::from(run.bytes_per_element());
        rungs.push(Rung { kernel: kernel.to_string(), rate: bytes / time.median / 1e3 });
    }
    let gpu = record.device.gpu.as_ref().context("the record is not of a GPU")?;
    let caption = format!("2<sup>30</sup> <code>int</code>s, the work alone. {}", provenance(&record));
    Ok(figure::ladder(&rungs, comparison::datasheet(gpu), &caption))
}
