//! Figures from the committed traces, `book/records/traces/`, and from records.

use anyhow::{Context, Result, bail};
use workbook::figure::{self, Film};
use workbook::sim::trace::Trace;

use crate::Workbook;
use crate::records::list;

/// The figures that there are.
pub const NAMES: [&str; 7] = ["race", "barrier", "divergence", "sectors", "banks", "grids", "pending"];

/// The figure called `name`, as HTML.
pub fn figure(workbook: &Workbook, name: &str) -> Result<String> {
    Ok(film(workbook, name)?.html())
}

fn film(workbook: &Workbook, name: &str) -> Result<Film> {
    let trace = |name: &str| -> Result<Trace> {
        let text = read(workbook, &format!("book/records/traces/{name}.json"))?;
        serde_json::from_str(&text).with_context(|| format!("traces/{name}.json"))
    };
    let chapter_2 = || read(workbook, "kernels/ch2_parallel.cu");
    Ok(match name {
        "race" => figure::race(&trace("race-4-first")?, &trace("race-6-first")?, &chapter_2()?),
        "barrier" => {
            let inside = read(workbook, "tests/figures/barrier_inside.cu")?;
            figure::barrier(&trace("barrier")?, &trace("barrier-inside")?, &chapter_2()?, &inside)
        }
        "divergence" => {
            figure::divergence(&[&trace("neighbored")?, &trace("neighbored-less")?, &trace("interleaved")?])
        }
        "sectors" => figure::sectors(&trace("neighbored-less")?, &trace("interleaved")?),
        "banks" => figure::banks(&trace("banks-strided")?, &trace("banks")?),
        "grids" => {
            figure::grids(&trace("nested-tail")?, &trace("nested-forget")?, &trace("nested-levels")?)
        }
        "pending" => figure::pending(&trace("pending")?),
        _ => bail!("there is no figure `{name}`; there are: {}", list(NAMES)),
    })
}

fn read(workbook: &Workbook, path: &str) -> Result<String> {
    std::fs::read_to_string(workbook.root.join(path)).with_context(|| format!("cannot read {path}"))
}
