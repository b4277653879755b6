//! How fast the simulator is, from what `cargo bench` has recorded.

use anyhow::Result;
use workbook::kernels;
use workbook::speed::{FILE, STEM, Speed};

use crate::Workbook;
use crate::figure::changed;

/// The tables, and a note if the kernels have changed since they were measured.
pub fn speed(workbook: &Workbook) -> Result<String> {
    let speed = Speed::read(&workbook.root.join(FILE))?;
    let same = kernels::all().iter().any(|build| build.stem == STEM && build.code_hash == speed.source_hash);
    let note = format!(
        "<code>kernels/{STEM}.cu</code> has changed since this was measured; run <code>cargo bench</code>."
    );
    Ok(speed.markdown() + &if same { String::new() } else { format!("\n{}", changed(&note)) })
}
