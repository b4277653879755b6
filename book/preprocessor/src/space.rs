//! What a memory space costs and where a device has its limits, as numbers in prose.

use anyhow::{Context, Result, bail};
use chapters::ch5_shared::spaces::{limits, spaces};
use workbook::arguments;
use workbook::number::{percent, thousands, three_digits};
use workbook::record::{GpuInfo, Record};

use crate::Workbook;
use crate::records::{list, named};

/// `29.1` for `clocks`, `4,210 GB/s` for `gbps`. The blank before a unit does not break.
///
/// By Little's law, with this latency: `ns` is the latency at the top clock, `in-flight` how many bytes
/// each multiprocessor must have under way to read at the datasheet's rate, `rate/65536` how fast the GPU
/// reads at most with 65,536 bytes under way, `share/65536` how much that is of the datasheet's rate.
pub fn space(workbook: &Workbook, record: &str, space: &str, field: &str) -> Result<String> {
    let record = named(workbook, record)?;
    let spaces = spaces(&record)?;
    let Some(cost) = spaces.iter().find(|cost| cost.space == space) else {
        bail!(
            "the record has no memory space `{space}`; there are: {}",
            list(spaces.iter().map(|cost| &cost.space))
        );
    };
    let gpu = || gpu(&record);
    let nanoseconds = || anyhow::Ok(cost.clocks / f64::from(gpu()?.sm_clock_mhz) * 1e3);
    let bytes = |text: &str| arguments::number(text, u64::MAX).context("wants bytes after the slash");
    match field {
        "clocks" => Ok(three_digits(cost.clocks)),
        "gbps" => Ok(gigabytes_per_second(cost.gbps)),
        "ns" => Ok(format!("{}\u{a0}ns", three_digits(nanoseconds()?))),
        "in-flight" => {
            let each = gpu()?.datasheet() * nanoseconds()? / f64::from(gpu()?.multiprocessors);
            Ok(format!("{}\u{a0}bytes", thousands((each / 100.0).round() as i64 * 100)))
        }
        _ => match field.split_once('/') {
            Some(("rate", text)) => Ok(gigabytes_per_second(bytes(text)? as f64 / nanoseconds()?)),
            Some(("share", text)) => Ok(percent(bytes(text)? as f64 / nanoseconds()?, gpu()?.datasheet())),
            _ => bail!(
                "there is no field `{field}`; there are: clocks, gbps, ns, in-flight, rate/BYTES, share/BYTES"
            ),
        },
    }
}

/// A limit under the driver's name for it, `2,147,483,647`; or of what the record says about its GPU:
/// `multiprocessors`, `sm_clock_mhz`, and `datasheet`, the rate of its memory, `4,814 GB/s`.
pub fn limit(workbook: &Workbook, record: &str, name: &str) -> Result<String> {
    let record = named(workbook, record)?;
    let limits = limits(&record)?;
    if let Some(limit) = limits.iter().find(|limit| limit.name == name) {
        return Ok(thousands(limit.value));
    }
    match name {
        "multiprocessors" => Ok(gpu(&record)?.multiprocessors.to_string()),
        "sm_clock_mhz" => Ok(format!("{}\u{a0}MHz", thousands(gpu(&record)?.sm_clock_mhz.into()))),
        "datasheet" => Ok(gigabytes_per_second(gpu(&record)?.datasheet())),
        _ => bail!(
            "the record has no limit `{name}`; there are: {}, multiprocessors, sm_clock_mhz, datasheet",
            list(limits.iter().map(|limit| &limit.name))
        ),
    }
}

fn gpu(record: &Record) -> Result<&GpuInfo> {
    record.device.gpu.as_ref().context("the record is not of a GPU")
}

fn gigabytes_per_second(rate: f64) -> String {
    format!("{}\u{a0}GB/s", three_digits(rate))
}
