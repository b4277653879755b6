//! Numbers of a record in prose: one value, or the ratio of two.

use anyhow::{Context, Result, bail, ensure};
use chapters::ch7_limit::comparison;
use workbook::number::{percent, power_of_ten, thousands, three_digits, time, two_digits};
use workbook::record::columns::escape;
use workbook::record::{GpuInfo, Record, Run};

use crate::Workbook;
use crate::options::{number, threads};
use crate::records::{list, named, run};

/// How a page writes [`value`].
pub const VALUE: &str = "{{#value STEM.KIND KERNEL n=N [block=B] FIELD}}";
/// How a page writes [`ratio`].
pub const RATIO: &str = "{{#ratio STEM.KIND KERNEL KERNEL n=N [block=B] FIELD}}";

/// Arguments after the record: one kernel, or two.
struct Arguments<'a, const KERNELS: usize> {
    kernels: [&'a str; KERNELS],
    n: u64,
    block: Option<u32>,
    field: &'a str,
}

fn parse<'a, const KERNELS: usize>(arguments: &[&'a str], usage: &str) -> Result<Arguments<'a, KERNELS>> {
    let wants = || format!("wants {usage}");
    let (kernels, rest) = arguments.split_first_chunk::<KERNELS>().with_context(wants)?;
    let (n, block, field) = match *rest {
        [n, field] => (n, None, field),
        [n, block, field] => (n, Some(block.strip_prefix("block=").with_context(wants)?), field),
        _ => bail!(wants()),
    };
    let n = number(n.strip_prefix("n=").with_context(wants)?)?;
    let block = block.map(|block| number(block).map(threads)).transpose()?;
    Ok(Arguments { kernels: *kernels, n, block, field })
}

/// One number with its unit: `449 ms`, `182 GB/s`, `133,693,243`. The blank before a unit does not break. The
/// field `time/18432` is the share of one of 18,432 launches; `error` and `bound` are powers of ten,
/// `1.6·10⁻⁴`. Of a comparison: `alone`, `cold` and `warm` are times; `alone-gbps` is a rate,
/// `alone-datasheet` and `alone-best` are its share of what the memory could do and of the best rate in the
/// record.
pub fn value(workbook: &Workbook, record: &str, arguments: &[&str]) -> Result<String> {
    let Arguments { kernels: [kernel], n, block, field } = parse(arguments, VALUE)?;
    Ok(escape(&of_record(&named(workbook, record)?, kernel, n, block, field)?))
}

/// [`value`] of a record that is read already.
pub fn of_record(record: &Record, kernel: &str, n: u64, block: Option<u32>, field: &str) -> Result<String> {
    if let Some(text) = of_comparison(record, kernel, n, field)? {
        return Ok(text.replace(' ', "\u{a0}"));
    }
    let compared =
        record.section_runs(comparison::COMPARISON).iter().find(|run| run.kernel == kernel && run.n == n);
    let run = run(record, kernel, n, block).or_else(|error| compared.ok_or(error))?;
    let text = match field {
        "sum" => run.sum.to_string(),
        "expected" => run.expected.to_string(),
        "library" => {
            run.library.clone().with_context(|| format!("{kernel} names no library in this record"))?
        }
        "time" => time(quantity(run, "time")?),
        share if share.starts_with("time/") => {
            let parts = number(&share["time/".len()..])?;
            ensure!(parts > 0, "a time has no share of 0 parts; write how many there are: time/18432");
            time(quantity(run, "time")? / parts as f64)
        }
        "gbps" => format!("{} GB/s", three_digits(quantity(run, "gbps")?)),
        "error" | "bound" => power_of_ten(quantity(run, field)?),
        count => thousands(quantity(run, count)? as i64),
    };
    Ok(if field == "library" { text } else { text.replace(' ', "\u{a0}") })
}

/// A value of the record's comparison, if `field` names one of its measures.
fn of_comparison(record: &Record, kernel: &str, n: u64, field: &str) -> Result<Option<String>> {
    let (measure, what) = field.split_once('-').unwrap_or((field, "time"));
    if !comparison::MEASURES.iter().any(|(word, _)| *word == measure) {
        return Ok(None);
    }
    let missing = || format!("the comparison of this record has no {measure} of {kernel} at n = {n}");
    let (run, timing) = comparison::timed(record, kernel, n, measure).with_context(missing)?;
    let share = |of: Option<f64>| {
        let (rate, whole) = (run.rate(timing).with_context(missing)?, of.with_context(missing)?);
        anyhow::Ok(percent(rate, whole))
    };
    Ok(Some(match what {
        "time" => time(timing.median),
        "gbps" => format!("{} GB/s", three_digits(run.rate(timing).with_context(missing)?)),
        "datasheet" => share(record.device.gpu.as_ref().map(GpuInfo::datasheet))?,
        "best" => share(comparison::best_rate(record))?,
        _ => bail!(
            "there is no field `{field}`; of a comparison there are: {measure}, {measure}-gbps, \
                    {measure}-datasheet, {measure}-best"
        ),
    }))
}

/// The ratio of two of a comparison, to two decimals: at one size; to three with `n=all` the geometric mean
/// over all sizes, with `n=least` the smallest, with `n=untuned` the smallest at sizes that nothing was tuned
/// for. `None` if `field` names no measure of a comparison.
fn ratio_of_comparison(record: &Record, arguments: &[&str]) -> Result<Option<String>> {
    let [first, second, n, field] = *arguments else { return Ok(None) };
    if !comparison::MEASURES.iter().any(|(word, _)| *word == field) {
        return Ok(None);
    }
    let ratios = comparison::ratios(record, first, second, field);
    let size = n.strip_prefix("n=").with_context(|| format!("wants {RATIO}"))?;
    let ratio = match size {
        "all" => comparison::geometric_mean(&ratios),
        "least" => comparison::least(&ratios),
        "untuned" => comparison::least(&comparison::untuned(record, first, second, field)),
        size => {
            let size = number(size)?;
            ratios.iter().find(|(n, _)| *n == size).map(|(_, ratio)| *ratio)
        }
    };
    let missing =
        || format!("the comparison of this record has no {field} of both {first} and {second} at {n}");
    let decimals = if matches!(size, "all" | "least" | "untuned") { 3 } else { 2 };
    Ok(Some(format!("{:.decimals$}", ratio.with_context(missing)?)))
}

/// The first kernel's number over the second's, to two digits: `25,000`, `3.7`.
pub fn ratio(workbook: &Workbook, record: &str, arguments: &[&str]) -> Result<String> {
    if let Some(text) = ratio_of_comparison(&named(workbook, record)?, arguments)? {
        return Ok(text);
    }
    let Arguments { kernels: [first, second], n, block, field } = parse(arguments, RATIO)?;
    let record = named(workbook, record)?;
    let of = |kernel: &str| quantity(run(&record, kernel, n, block)?, field);
    let (above, below) = (of(first)?, of(second)?);
    if below == 0.0 {
        bail!("{field} of {second} is 0, so there is no ratio");
    }
    Ok(two_digits(above / below))
}

/// A number of `run`, in microseconds or GB/s for a time or a bandwidth.
pub fn quantity(run: &Run, field: &str) -> Result<f64> {
    let missing = |what: &str| format!("{} at n = {} has no {what} in this record", run.kernel, run.n);
    match field {
        "time" => run.time_us.map(|time| time.median).with_context(|| missing("time")),
        "gbps" => run.gigabytes_per_second().with_context(|| missing("bandwidth")),
        "error" => run.relative_error().with_context(|| missing("error of a right result")),
        "bound" => run.bound.with_context(|| missing("error bound")),
        "grid" => Ok(run.grid.into()),
        "dropped" => Ok(run.dropped.as_ref().map_or(0, |dropped| dropped.launches) as f64),
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
            run.counters.as_ref().map(|_| count).with_context(|| missing("counts"))
        }
    }
}
