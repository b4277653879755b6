//! In place of `compare.rs` where there is no GPU to compare anything on: in a browser.

use anyhow::Result;
use workbook::device::{Device, Module};
use workbook::record::Record;

/// Adds nothing.
pub fn measure(_: &Device, _: &Module, _: Option<u64>, _: &mut Record) -> Result<()> {
    Ok(())
}
