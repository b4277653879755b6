//! What the benches have recorded: how fast the simulator is, and the sweep behind chapter 7's last kernel.

use anyhow::Result;
use chapters::ch7_limit::sweep::{self, Sweep};
use serde_json::Value;
use workbook::build::kernels;
use workbook::record::columns::escape;
use workbook::record::speed::{FILE, STEM, Speed};

use crate::html::changed;
use crate::page::Workbook;

/// What a page calls them.
pub const SIMULATOR: &str = "benches/simulator";
pub const SWEEP: &str = "benches/limit";

/// The tables of the last recorded `cargo bench`, and a note if the kernels have changed since.
pub fn simulator(book: &Workbook) -> Result<String> {
    let speed = Speed::read(&book.root.join(FILE))?;
    let same = kernels::all().iter().any(|build| build.stem == STEM && build.code_hash == speed.source_hash);
    let note = format!(
        "<code>kernels/{STEM}.cu</code> has changed since this was measured; run <code>cargo bench</code>."
    );
    let mut shown = serde_json::to_value(&speed)?;
    escape_texts(&mut shown);
    let shown: Speed = serde_json::from_value(shown)?;
    Ok(shown.markdown() + &note_unless(same, &note))
}

/// Escapes every text of what was measured.
fn escape_texts(measured: &mut Value) {
    match measured {
        Value::String(text) => *text = escape(text),
        Value::Array(items) => items.iter_mut().for_each(escape_texts),
        Value::Object(fields) => fields.values_mut().for_each(escape_texts),
        _ => {}
    }
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
