//! What the benches have recorded: how fast the simulator is, and the sweep behind chapter 7's last kernel.

use anyhow::{Context, Result};
use workbook::build::kernels;

use crate::html::changed;
use crate::page::Workbook;

/// What a page calls them.
pub const SIMULATOR: &str = "benches/simulator";
pub const SWEEP: &str = "benches/limit";

/// The tables that `cargo bench -- --record` has left, and a note if the kernels have changed since.
pub fn simulator(book: &Workbook) -> Result<String> {
    let (tables, note) = recorded(book, SIMULATOR, "cargo bench")?;
    Ok(tables + &note)
}

/// The table of the recorded `cargo bench --bench limit` for one type, and a note if the kernels have changed
/// since.
pub fn sweep(book: &Workbook, element: &str) -> Result<String> {
    let (text, note) = recorded(book, SWEEP, "cargo bench --bench limit")?;
    let (tables, by) = text.trim_end().rsplit_once("\n\n").unwrap_or_default();
    let table = tables.split("\n\n").find(|table| table.starts_with(&format!("| `{element}`")));
    let table = table.with_context(|| format!("{SWEEP}.md has no table of {element}"))?;
    Ok(format!("<div class=\"sweep\">\n\n{table}\n\n</div>\n\n<small>{by}</small>\n{note}"))
}

/// The text of a bench's file, whose head names the chapter and its code as it was measured, and a note if
/// that has changed since.
fn recorded(book: &Workbook, name: &str, command: &str) -> Result<(String, String)> {
    let text =
        book.read(&format!("{name}.md")).with_context(|| format!("make it anew: {command} -- --record"))?;
    let (head, tables) = text.split_once("\n\n").unwrap_or_default();
    let (stem, code) = head.trim_matches(['<', '!', '-', '>', ' ']).split_once(' ').unwrap_or_default();
    let same = kernels::all().iter().any(|build| build.stem == stem && *build.code_hash == *code);
    let note = changed(&format!(
        "<code>kernels/{stem}.cu</code> has changed since this was measured; run <code>{command}</code>."
    ));
    Ok((tables.to_string(), if same { String::new() } else { format!("\n{note}") }))
}
