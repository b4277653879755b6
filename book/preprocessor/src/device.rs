//! Numbers of a device: its limits, and what a load from each of its memory spaces costs.

use anyhow::{Context, Result, bail};
use chapters::ch5_shared::spaces::{MemorySpace, limits};
use workbook::number::{percent, thousands, three_digits};
use workbook::record::{GpuInfo, Record};

use crate::number::{Number, gigabytes_per_second};
use crate::words::{number, pick};

/// A limit under the driver's name for it, `2,147,483,647`; or of what the record says about its GPU:
/// `multiprocessors`, `sm_clock_mhz`, and `datasheet`, the rate of its memory, `4,814 GB/s`.
pub fn limit(record: &Record, name: &str) -> Result<Number> {
    let megahertz = |clock: f64| format!("{} MHz", thousands(clock as i64));
    Ok(match name {
        "multiprocessors" => Number::count(gpu(record)?.multiprocessors.into()),
        "sm_clock_mhz" => Number::of(gpu(record)?.sm_clock_mhz.into(), megahertz),
        "datasheet" => Number::of(gpu(record)?.datasheet(), gigabytes_per_second),
        _ => {
            let none = "multiprocessors, sm_clock_mhz and datasheet aside, the record has no limit";
            Number::count(pick(limits(record)?, name, |limit| &limit.name, none)?.value as f64)
        }
    })
}

/// Of a memory space: `clocks` from load to load; `gbps`; the latency in `ns` at the top clock. By Little's
/// law, with this latency: `in-flight`, how many bytes each multiprocessor must have under way to read at the
/// datasheet's rate; `rate/65536`, how fast the GPU reads at most with 65,536 bytes under way;
/// `share/65536`, how much that is of the datasheet's rate.
pub fn space(record: &Record, space: &MemorySpace, field: &str) -> Result<Number> {
    let (name, bytes) = match field.split_once('/') {
        Some((name, bytes)) => (name, Some(number(bytes).context("wants bytes after the slash")? as f64)),
        None => (field, None),
    };
    match (name, bytes) {
        ("clocks", None) => return Ok(Number::of(space.clocks, three_digits)),
        ("gbps", None) => return Ok(Number::of(space.gbps, gigabytes_per_second)),
        _ => {}
    }
    let gpu = gpu(record)?;
    let nanoseconds = space.clocks / f64::from(gpu.sm_clock_mhz) * 1e3;
    let in_flight = gpu.datasheet() * nanoseconds / f64::from(gpu.multiprocessors);
    Ok(match (name, bytes) {
        ("ns", None) => Number::of(nanoseconds, |time| format!("{} ns", three_digits(time))),
        ("in-flight", None) => Number::of(in_flight, |bytes| {
            format!("{} bytes", thousands((bytes / 100.0).round() as i64 * 100))
        }),
        ("rate", Some(bytes)) => Number::of(bytes / nanoseconds, gigabytes_per_second),
        ("share", Some(bytes)) => {
            Number::of(bytes / nanoseconds / gpu.datasheet(), |share| percent(share, 1.0))
        }
        _ => bail!(
            "there is no field `{field}`; there are: clocks, gbps, ns, in-flight, rate/BYTES, share/BYTES"
        ),
    })
}

fn gpu(record: &Record) -> Result<&GpuInfo> {
    record.device.gpu.as_ref().context("the record is not of a GPU")
}
