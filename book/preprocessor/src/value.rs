//! Numbers in prose: one of a record, or the ratio of two.

use anyhow::{Context, Result, ensure};
use chapters::ch5_shared::spaces::spaces;
use chapters::ch7_limit::comparison;
use workbook::number::two_digits;
use workbook::record::Record;
use workbook::record::columns::escape;

use crate::number::{Number, is_compared, of_kernel};
use crate::page::Page;
use crate::records::named;
use crate::words::{Words, number, pick};
use crate::{device, ncu};

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
    Ok(if is_compared(field) { format!("{ratio:.2}") } else { two_digits(ratio) })
}

/// Of a kernel at a size, of a memory space, or of the device.
fn of_record(record: &Record, of: Option<&str>, field: &str, words: &Words) -> Result<Number> {
    let Some(of) = of else { return device::limit(record, field) };
    if let Some(n) = words.get("n") {
        return of_kernel(record, of, number(n)?, words.number("block")?, field);
    }
    let none = "names no size (n=N), and the record has no memory space";
    device::space(record, &pick(spaces(record)?, of, |space| &space.space, none)?, field)
}

/// The smallest ratio of two of a comparison at sizes that nothing was tuned for, to three decimals.
fn least_untuned(record: &Record, first: &str, second: &str, field: &str) -> Result<String> {
    let least = comparison::least(&comparison::untuned(record, first, second, field)).with_context(|| {
        format!("the comparison of this record has no {field} of both {first} and {second} at n=untuned")
    })?;
    Ok(format!("{least:.3}"))
}
