//! What the benches have recorded: how fast the simulator is, and the sweep behind chapter 7's last kernel.

use anyhow::{Context, Result};
use chapters::ch7_limit::sweep::{self, Sweep};
use workbook::build::kernels;
use workbook::record::columns::escape;

use crate::html::changed;
use crate::page::Workbook;

/// What a page calls them.
pub const SIMULATOR: &str = "benches/simulator";
pub const SWEEP: &str = "benches/limit";

/// The chapter whose kernels `cargo bench` measures.
const STEM: &str = "ch3_blocks";

/// The tables that `cargo bench -- --record` has left, and a note if the kernels have changed since.
pub fn simulator(book: &Workbook) -> Result<String> {
    let text = book.read("benches/simulator.md").context("make it anew: cargo bench -- --record")?;
    let (head, tables) = text.split_once("\n\n").unwrap_or_default();
    let is_measured = |code: &str| head == format!("<!-- {STEM} {code} -->");
    let same = kernels::all().iter().any(|build| build.stem == STEM && is_measured(&build.code_hash));
    let note = format!(
        "<code>kernels/{STEM}.cu</code> has changed since this was measured; run <code>cargo bench</code>."
    );
    Ok(tables.to_string() + &note_unless(same, &note))
}

/// The table of the recorded `cargo bench --bench limit` for one type, and a note if the candidates have
/// changed since.
pub fn sweep(book: &Workbook, element: &str) -> Result<String> {
    let sweep = Sweep::read(&book.root.join(sweep::FILE))?;
    let day = sweep.date.get(..10).unwrap_or(&sweep.date);
    let by = format!("\n<small>{} · {}</small>\n", escape(&sweep.device.name), escape(day));
    let note = "The candidates of <code>kernels/libraries/tune.cu</code> have changed since this was \
                measured; run <code>cargo bench --bench limit -- --record</code>.";
    let table = format!("<div class=\"sweep\">\n\n{}\n</div>\n", sweep.markdown(element)?);
    Ok(table + &by + &note_unless(sweep.source_hash == sweep::source_hash(), note))
}

fn note_unless(same: bool, note: &str) -> String {
    if same { String::new() } else { format!("\n{}", changed(note)) }
}
