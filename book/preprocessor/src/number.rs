//! A number of a record as a page writes it.

use anyhow::{Context, Result, bail, ensure};
use chapters::ch7_limit::comparison;
use workbook::record::{Record, Run};
use workbook::text::number::{percent, power_of_ten, thousands, three_digits, time};

use crate::directive::{list, number};
use crate::records::run;

/// A number, and how it is written, with its unit: `449 ms`, `182 GB/s`, `133,693,243`.
pub struct Number {
    /// Not a number if it is a text.
    pub value: f64,
    /// The blank before a unit does not break.
    pub text: String,
}

impl Number {
    pub fn of(value: f64, write: impl Fn(f64) -> String) -> Number {
        Number { value, text: write(value).replace(' ', "\u{a0}") }
    }

    pub fn count(value: f64) -> Number {
        Number::of(value, |count| thousands(count as i64))
    }

    fn text(text: impl ToString) -> Number {
        Number { value: f64::NAN, text: text.to_string() }
    }
}

/// `182 GB/s`
pub fn gigabytes_per_second(rate: f64) -> String {
    format!("{} GB/s", three_digits(rate))
}

/// Whether `field` is one of a comparison: `alone`, `cold` and `warm` are times; `alone-gbps` is a rate,
/// `alone-datasheet` its share of what the memory could do.
pub fn is_compared(field: &str) -> bool {
    let measure = field.split('-').next().unwrap_or_default();
    comparison::MEASURES.iter().any(|(word, _)| *word == measure)
}

/// A number of `kernel` at `n`. The field `time/18432` is the share of one of 18,432 launches; `error` and
/// `bound` are powers of ten, `1.6·10⁻⁴`.
pub fn of_kernel(record: &Record, kernel: &str, n: u64, block: Option<u32>, field: &str) -> Result<Number> {
    if is_compared(field) {
        return of_comparison(record, kernel, n, field);
    }
    let compared =
        record.section_runs(comparison::COMPARISON).iter().find(|run| run.kernel == kernel && run.n == n);
    of_run(run(record, kernel, n, block).or_else(|error| compared.ok_or(error))?, field)
}

fn of_comparison(record: &Record, kernel: &str, n: u64, field: &str) -> Result<Number> {
    let (measure, what) = field.split_once('-').unwrap_or((field, "time"));
    let missing = || format!("the comparison of this record has no {measure} of {kernel} at n = {n}");
    let (run, timing) = comparison::timed(record, kernel, n, measure).with_context(missing)?;
    let rate = || run.rate(timing).with_context(missing);
    Ok(match what {
        "time" => Number::of(timing.median, time),
        "gbps" => Number::of(rate()?, gigabytes_per_second),
        "datasheet" => {
            let gpu = record.device.gpu.as_ref().with_context(missing)?;
            Number::of(rate()? / gpu.datasheet(), |share| percent(share, 1.0))
        }
        _ => bail!(
            "there is no field `{field}`; of a comparison there are: {measure}, {measure}-gbps, \
             {measure}-datasheet"
        ),
    })
}

fn of_run(run: &Run, field: &str) -> Result<Number> {
    let missing = |what: &str| format!("{} at n = {} has no {what} in this record", run.kernel, run.n);
    if let Some(parts) = field.strip_prefix("time/") {
        let parts = number(parts)?;
        ensure!(parts > 0, "a time has no share of 0 parts; write how many there are: time/18432");
        return Ok(Number::of(of_run(run, "time")?.value / parts as f64, time));
    }
    let number = |value: Option<f64>, what: &str, write: fn(f64) -> String| {
        anyhow::Ok(Number::of(value.with_context(|| missing(what))?, write))
    };
    Ok(match field {
        "sum" => Number::text(&run.sum),
        "expected" => Number::text(&run.expected),
        "library" => Number::text(run.library.as_ref().with_context(|| missing("library"))?),
        "time" => number(run.time_us.map(|time| time.median), "time", time)?,
        "gbps" => number(run.gigabytes_per_second(), "bandwidth", gigabytes_per_second)?,
        "error" => number(run.relative_error(), "error of a right result", power_of_ten)?,
        "bound" => number(run.bound, "error bound", power_of_ten)?,
        "grid" => Number::count(run.grid.into()),
        "dropped" => Number::count(run.dropped.as_ref().map_or(0, |dropped| dropped.launches) as f64),
        _ => {
            let counters = serde_json::to_value(run.counters.clone().unwrap_or_default())?;
            let Some(count) = counters.get(field).and_then(serde_json::Value::as_f64) else {
                let known = counters.as_object().into_iter().flat_map(|fields| fields.keys());
                bail!(
                    "there is no field `{field}`; there are: time, gbps, sum, expected, error, bound, \
                     grid, dropped, {}",
                    list(known)
                );
            };
            run.counters.as_ref().with_context(|| missing("counts"))?;
            Number::count(count)
        }
    })
}
