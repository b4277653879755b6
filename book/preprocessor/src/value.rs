//! Numbers in prose: one of a kernel, of a device or of its memory spaces, or the ratio of two.

use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use chapters::ch5_shared::spaces::{MemorySpace, limits, spaces};
use chapters::ch7_limit::comparison;
use workbook::device::GpuInfo;
use workbook::record::Record;
use workbook::text::columns::escape;
use workbook::text::number::{percent, thousands, three_digits, two_digits};

use crate::directive::{Words, number, pick};
use crate::ncu;
use crate::number::{Number, gigabytes_per_second, is_compared, of_kernel};
use crate::page::Page;
use crate::records::named;

/// Of these, two digits would hide how far they are from 1.
const NEAR_ONE: Range<f64> = 0.995..1.25;

/// One number with its unit; with `over=`, how many times that of the other it is.
pub fn value(page: &mut Page, words: &Words) -> Result<String> {
    let (source, of, field) = match words.of[..] {
        [source, of, field] => (source, Some(of), field),
        _ => (words.of[0], None, words.of[1]),
    };
    ensure!(of.is_some() || !words.has_options(), "a number of the device has no options; name a kernel");
    let record = if source == ncu::SOURCE { None } else { Some(named(page.book, source)?) };
    let number = |of: Option<&str>| match &record {
        None => ncu::number(page.book, of, field),
        Some(record) => of_record(record, of, field, words),
    };
    let (Some(of), Some(over)) = (of, words.get("over")) else { return Ok(escape(&number(of)?.text)) };
    if let (Some("untuned"), Some(record)) = (words.get("n"), &record) {
        return least_untuned(record, of, over, field);
    }
    let below = number(Some(over))?;
    let ratio = number(Some(of))?.value / below.value;
    ensure!(ratio.is_finite(), "{field} of {over} is {}, so there is no ratio", below.text);
    let has_two_decimals = is_compared(field) || NEAR_ONE.contains(&ratio);
    Ok(if has_two_decimals { format!("{ratio:.2}") } else { two_digits(ratio) })
}

/// Of a kernel at a size, of a memory space, or of the device.
fn of_record(record: &Record, of: Option<&str>, field: &str, words: &Words) -> Result<Number> {
    let Some(of) = of else { return limit(record, field) };
    if let Some(n) = words.get("n") {
        return of_kernel(record, of, number(n)?, words.number("block")?, field);
    }
    let none = "names no size (n=N), and the record has no memory space";
    space(record, &pick(spaces(record)?, of, |space| &space.space, none)?, field)
}

/// The smallest ratio of two of a comparison at sizes that nothing was tuned for, to three decimals.
fn least_untuned(record: &Record, first: &str, second: &str, field: &str) -> Result<String> {
    let least = comparison::least(&comparison::untuned(record, first, second, field)).with_context(|| {
        format!("the comparison of this record has no {field} of both {first} and {second} at n=untuned")
    })?;
    Ok(format!("{least:.3}"))
}

/// A limit under the driver's name for it, `2,147,483,647`; or of what the record says about its GPU:
/// `multiprocessors`, `sm_clock_mhz`, and `datasheet`, the rate of its memory, `4,814 GB/s`.
fn limit(record: &Record, name: &str) -> Result<Number> {
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
fn space(record: &Record, space: &MemorySpace, field: &str) -> Result<Number> {
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
