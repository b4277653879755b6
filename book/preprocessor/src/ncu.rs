//! What Nsight Compute counted of some kernels (`benches/ncu.json`, made by `benches/ncu.py`), in a page:
//! numbers, a table, bars and a chart. What they mean is chapter 7's, `chapters::ch7_limit::profile`.

use anyhow::{Context, Result, bail, ensure};
use chapters::ch7_limit::profile::{
    FIELDS, Kernel, Report, STATES, State, columns, limits, of_one, roofline,
};
use workbook::device::GpuInfo;
use workbook::text::columns::{Column, escape};
use workbook::text::number::thousands;

use crate::directive::pick;
use crate::html::{figure, note_unless, scrolling};
use crate::number::Number;
use crate::page::Workbook;
use crate::provenance::is_current;
use crate::records::named;

/// What a page calls the report.
pub const SOURCE: &str = "benches/ncu";
const FILE: &str = "benches/ncu.json";
/// The record whose GPU is the one that was profiled: its clock and its memory.
const GPU: &str = "ch7_limit.gpu";
fn read(book: &Workbook) -> Result<Report> {
    serde_json::from_str(&book.read(FILE)?)
        .with_context(|| format!("{FILE} is not a report; make it: python3 benches/ncu.py"))
}

fn kernel<'a>(report: &'a Report, name: &str) -> Result<&'a Kernel> {
    pick(&report.kernels, name, |kernel| &kernel.kernel, "ncu has not profiled")
}

fn chosen<'a>(report: &'a Report, names: &[&str]) -> Result<Vec<&'a Kernel>> {
    ensure!(!names.is_empty(), "names no kernel: kernel=A,B");
    names.iter().map(|name| kernel(report, name)).collect()
}

/// `content` with its source, and a note if the kernels have changed since they were profiled.
fn sourced(report: &Report, book: &Workbook, content: &str) -> String {
    let note = note_unless(
        report.code.iter().all(|(stem, code)| is_current(book, stem, code)),
        "The kernels have changed since they were profiled; run <code>python3 benches/ncu.py</code>.",
    );
    let Report { device, driver, ncu, date, n, .. } = report;
    let n = thousands(*n as i64);
    let source = format!("{device} · driver {driver} · ncu {ncu} · {date} · n = {n}");
    figure(&format!("{content}{note}"), &escape(&source))
}

/// A number of a kernel; without one, of the GPU that was profiled.
pub fn number(book: &Workbook, kernel: Option<&str>, field: &str) -> Result<Number> {
    let Some(kernel) = kernel else {
        let (instructions, sectors) = limits(&gpu(book)?);
        let billion = |count: f64| format!("{} billion", thousands(count.round() as i64));
        return Ok(match field {
            "instructions" => Number::of(instructions, billion),
            "sectors" => Number::of(sectors, billion),
            "instructions-per-sector" => Number::of(instructions / sectors, |ratio| format!("{ratio:.0}")),
            _ => bail!("a GPU has no `{field}`; there are: instructions, sectors, instructions-per-sector"),
        });
    };
    let report = read(book)?;
    let kernel = self::kernel(&report, kernel)?;
    let (_, of, write) = pick(FIELDS, field, |(name, ..)| name, "there is no field")?;
    Ok(Number::of(of(kernel), write))
}

/// The GPU that was profiled.
fn gpu(book: &Workbook) -> Result<GpuInfo> {
    named(book, GPU)?.device.gpu.clone().with_context(|| format!("{GPU} names no GPU"))
}

/// What was counted, a row per kernel; `fields` names the columns.
pub fn table(book: &Workbook, fields: &[&str], kernels: &[&str]) -> Result<String> {
    let report = read(book)?;
    let kernels = chosen(&report, kernels)?;
    let all = columns(&kernels, gpu(book)?.datasheet());
    let mut shown = vec![Column::left("kernel", kernels.iter().map(|kernel| kernel.kernel.as_str()))];
    for field in fields {
        shown.push(pick(&all, field, |column| column.name(), "there is no column")?.clone());
    }
    Ok(sourced(&report, book, &scrolling(&shown, &format!("Counted by ncu: {}", fields.join(", ")))))
}

/// The chart `states` or `roofline` of some kernels.
pub fn chart(book: &Workbook, name: &str, kernels: &[&str]) -> Result<String> {
    let report = read(book)?;
    let kernels = chosen(&report, kernels)?;
    Ok(sourced(
        &report,
        book,
        &match name {
            "states" => states(&kernels),
            "roofline" => roofline(&report, &gpu(book)?, &kernels)?.html(),
            _ => bail!("{SOURCE} has no chart `{name}`; there are: states, roofline"),
        },
    ))
}

/// Shares that leave room for a number, and for a name beside it, on a phone too.
const ROOM_FOR_NUMBER: f64 = 0.08;
const ROOM_FOR_NAME: f64 = 0.3;

/// A bar per kernel, in parts as long as the time that its warps spend in each state. The style sheet gives
/// each its colour and its texture.
fn states(kernels: &[&Kernel]) -> String {
    let mut html = String::from("<div class=\"states\">\n");
    for kernel in kernels {
        html += &format!("<p><code>{}</code></p>\n<div class=\"bar\">", escape(&kernel.kernel));
        for (series, (State { name, short, .. }, share)) in (1..).zip(STATES.iter().zip(kernel.shares())) {
            let words = of_one(share);
            let number = format!("{:.0}%", share * 100.0);
            let shown = match share {
                ROOM_FOR_NAME.. => format!("<b aria-hidden=\"true\">{short} {number}</b>"),
                ROOM_FOR_NUMBER.. => format!("<b aria-hidden=\"true\">{number}</b>"),
                _ => String::new(),
            };
            html += &format!(
                "<span class=\"series-{series}\" style=\"flex-grow:{:.0}\" title=\"{name}: {words}\">{shown}\
                 <span class=\"visually-hidden\">{name}: {words}; </span></span>",
                share * 1000.0
            );
        }
        html += "</div>\n";
    }
    html += "<ul class=\"legend\" aria-hidden=\"true\">";
    for (series, state) in (1..).zip(&STATES) {
        html += &format!("<li><span class=\"series-{series}\"></span>{}</li>", state.name);
    }
    html + "</ul>\n</div>\n"
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use chapters::ch7_limit::profile::CHANGES;

    use super::*;

    fn workbook() -> Workbook {
        Workbook::new(workbook::root().unwrap().to_owned(), PathBuf::from("not there"))
    }

    #[test]
    fn the_states_are_all_of_a_warps_time() {
        for kernel in &read(&workbook()).unwrap().kernels {
            let shares = kernel.shares();
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{}: {shares:?}", kernel.kernel);
            assert!(shares.iter().all(|share| (0.0..1.0).contains(share)), "{}: {shares:?}", kernel.kernel);
        }
    }

    #[test]
    fn no_kernel_is_above_its_limit() {
        let workbook = workbook();
        let report = read(&workbook).unwrap();
        let kernels: Vec<&Kernel> = report.kernels.iter().take(4).collect();
        let chart = roofline(&report, &gpu(&workbook).unwrap(), &kernels).unwrap();
        assert!(chart.description.contains("the limit: 75.2 billion"), "{}", chart.description);
        for kernel in &report.kernels {
            let rate = kernel.warp_instructions / kernel.time_us / 1e3;
            assert!(
                rate < (150.5 * kernel.instructions_per_sector()).min(1046.0),
                "{}: {rate}",
                kernel.kernel
            );
        }
    }

    /// The table's words for each kernel that was profiled, in the order of the account.
    #[test]
    fn every_kernel_says_what_it_changes() {
        let report = read(&workbook()).unwrap();
        let profiled: Vec<&str> = report.kernels.iter().map(|kernel| kernel.kernel.as_str()).collect();
        assert_eq!(profiled, CHANGES.map(|(name, _)| name));
        let fields = ["changes", "instructions", "rate", "waits"];
        let table = table(&workbook(), &fields, &["reduceNeighbored", "reduceNeighboredMask"]).unwrap();
        for words in ["a mask, no division", "<td>barrier 17%", ">85.5 M<", ">18.7%<"] {
            assert!(table.contains(words), "{words}: {table}");
        }
        // The division is most of what separates the two trees: the page gives each cause its share.
        let ratio = |above: &str, below: &str| {
            let time = |kernel| super::kernel(&report, kernel).unwrap().time_us;
            time(above) / time(below)
        };
        let division = ratio("reduceNeighbored", "reduceNeighboredMask");
        assert!(division > ratio("reduceNeighboredMask", "reduceNeighboredLess"), "{division}");
    }

    /// Every element is read from memory once. A block that works in place changes every second element in
    /// its first step: all sectors if the two are neighbours, half of them if the second half is added to the
    /// first.
    #[test]
    fn memory_reads_the_array_once_and_writes_what_kernels_change_in_it() {
        let report = read(&workbook()).unwrap();
        let array = 4.0 * report.n as f64;
        for kernel in &report.kernels {
            let read = kernel.memory_bytes_read / array;
            assert!((1.0..1.01).contains(&read), "{}: {read}", kernel.kernel);
            let most = match kernel.kernel.as_str() {
                "reduceNeighbored" | "reduceNeighboredMask" | "reduceNeighboredLess" => 1.0,
                "reduceInterleaved" => 0.5,
                _ => 0.04,
            };
            let written = kernel.memory_bytes_written / array;
            assert!((0.4 * most..most).contains(&written), "{}: {written}", kernel.kernel);
        }
    }

    #[test]
    fn an_unknown_kernel_or_field_is_told_what_there_is() {
        let of = |kernel, field| match number(&workbook(), kernel, field) {
            Ok(number) => number.text,
            Err(error) => format!("{error:#}"),
        };
        assert!(of(Some("reduceAll"), "issue").contains("there are: reduceNeighbored"));
        assert!(of(Some("reduceLimit"), "speed").contains("memory-share"));
        assert!(of(None, "speed").contains("sectors"));
        let table = table(&workbook(), &["speed"], &["reduceLimit"]).unwrap_err().to_string();
        assert!(table.contains("there are: changes, time"), "{table}");
        assert_eq!(of(None, "instructions-per-sector"), "7");
        let chart = chart(&workbook(), "pie", &["reduceLimit"]).unwrap_err().to_string();
        assert!(chart.contains("there are: states, roofline"), "{chart}");
    }
}
