//! What the benches have recorded: how fast the simulator is, and the sweep behind chapter 7's last kernel.

use anyhow::{Context, Result};
use workbook::build::kernels;
use workbook::chapters::ch7_limit::sweep::{self, Sweep};
use workbook::record::columns::escape;

use crate::Workbook;
use crate::figure::changed;

/// The chapter whose kernels `cargo bench` measures.
const STEM: &str = "ch3_blocks";

/// The tables that `cargo bench -- --record` has left, and a note if the kernels have changed since.
pub fn speed(workbook: &Workbook) -> Result<String> {
    let file = workbook.root.join("benches/simulator.md");
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}; make it anew: cargo bench -- --record", file.display()))?;
    let (head, tables) = text.split_once("\n\n").unwrap_or_default();
    let same = kernels::all()
        .iter()
        .any(|build| build.stem == STEM && head == format!("<!-- {STEM} {} -->", build.code_hash));
    let note = format!(
        "<code>kernels/{STEM}.cu</code> has changed since this was measured; run <code>cargo bench</code>."
    );
    Ok(tables.to_string() + &if same { String::new() } else { format!("\n{}", changed(&note)) })
}

/// The table of the sweep for one type, and a note if the candidates have changed since.
pub fn sweep(workbook: &Workbook, element: &str) -> Result<String> {
    let sweep = Sweep::read(&workbook.root.join(sweep::FILE))?;
    let day = sweep.date.get(..10).unwrap_or(&sweep.date);
    let by = format!("\n<small>{} · {}</small>\n", escape(&sweep.device.name), escape(day));
    let same = sweep.source_hash == sweep::source_hash();
    let note = "The candidates of <code>kernels/libraries/tune.cu</code> have changed since this was \
                measured; run <code>cargo bench --bench limit -- --record</code>.";
    let table = format!("<div class=\"sweep\">\n\n{}\n</div>\n", sweep.markdown(element)?);
    Ok(table + &by + &if same { String::new() } else { format!("\n{}", changed(note)) })
}
