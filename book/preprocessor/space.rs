//! What a memory space costs and where a device has its limits, as numbers in prose.

use anyhow::{Result, bail};
use workbook::number::{thousands, three_digits};

use crate::Workbook;
use crate::records::{list, named};

/// `29.1` for `clocks`, `4,210 GB/s` for `gbps`. The blank before a unit does not break.
pub fn space(workbook: &Workbook, record: &str, space: &str, field: &str) -> Result<String> {
    let record = named(workbook, record)?;
    let Some(cost) = record.memory_spaces.iter().find(|cost| cost.space == space) else {
        bail!(
            "the record has no memory space `{space}`; there are: {}",
            list(record.memory_spaces.iter().map(|cost| &cost.space))
        );
    };
    match field {
        "clocks" => Ok(three_digits(cost.clocks)),
        "gbps" => Ok(format!("{}\u{a0}GB/s", three_digits(cost.gbps))),
        _ => bail!("there is no field `{field}`; there are: clocks, gbps"),
    }
}

/// A limit under the driver's name for it: `2,147,483,647`.
pub fn limit(workbook: &Workbook, record: &str, name: &str) -> Result<String> {
    let record = named(workbook, record)?;
    match record.limits.iter().find(|limit| limit.name == name) {
        Some(limit) => Ok(thousands(limit.value)),
        None => bail!(
            "the record has no limit `{name}`; there are: {}",
            list(record.limits.iter().map(|limit| &limit.name))
        ),
    }
}
