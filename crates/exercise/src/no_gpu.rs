//! In a page there is no GPU.

use std::path::Path;

use anyhow::{Result, bail};

use super::plan::Plan;
use super::source::Exercise;
use workbook::device::Device;

/// Never called: no device opens that is one.
///
/// # Errors
/// Always.
pub fn check(_: &Path, _: &Exercise, _: &Plan, _: &Device) -> Result<Result<String, String>> {
    bail!("a page has no GPU")
}
