//! A small table in place of many numbers: kernels down, and sizes, blocks or fields across.

use anyhow::{Context, Result, ensure};
use chapters::ch7_limit::comparison;
use workbook::record::Record;
use workbook::text::columns::{Column, NONE, escape};
use workbook::text::number::{raised, size, thousands, two_digits};

use crate::directive::Words;
use crate::html::{note_unless, paragraph, scrolling};
use crate::ncu;
use crate::number::of_kernel;
use crate::page::{Page, Workbook};
use crate::provenance::{figure_of, is_current};
use crate::records::{self, named};

/// What a page calls the records of the benches: how fast the simulator is, the sweep behind chapter 7's last
/// kernel.
const SIMULATOR: &str = "benches/simulator";
const SWEEP: &str = "benches/limit";

/// A row: the record it is from, and the kernel there.
struct Row<'a> {
    record: &'a Record,
    kernel: &'a str,
}

/// Rows are kernels. With several sizes or blocks those are the columns, of one field; else the fields are.
pub fn table(page: &mut Page, words: &Words) -> Result<String> {
    let book = page.book;
    let source = words.of[0];
    let fields = words.of.get(1).copied();
    match source {
        ncu::SOURCE => {
            let fields: Vec<&str> = fields.context("names no column; for one: time")?.split(',').collect();
            return ncu::table(book, &fields, &words.list("kernel"));
        }
        SIMULATOR => return simulator(book),
        SWEEP => {
            return sweep(book, fields.context("names no type of element; for one: i32")?);
        }
        _ => {}
    }
    let record = named(book, source)?;
    if let Some(rival) = words.get("against") {
        return against(book, record, rival);
    }
    let rows = rows(book, record, &words.list("kernel"))?;
    let fields: Vec<&str> = fields.context("names no field; for one: time")?.split(',').collect();
    let mut sizes = words.numbers("n")?;
    if sizes.is_empty() {
        sizes.push(record.n);
    }
    let mut blocks: Vec<Option<u32>> = words.numbers("block")?.into_iter().map(Some).collect();
    if blocks.is_empty() {
        blocks.push(None);
    }
    let several = [fields.len(), sizes.len(), blocks.len()].iter().filter(|count| **count > 1).count();
    ensure!(several <= 1, "has several of fields, sizes and blocks; only one of them can make the columns");
    let mut columns = vec![Column::left("kernel", rows.iter().map(|row| row.kernel))];
    for field in &fields {
        for n in &sizes {
            for block in &blocks {
                let title = match block {
                    _ if sizes.len() > 1 => raised(&size(*n)),
                    Some(block) if blocks.len() > 1 => thousands((*block).into()),
                    _ => title(field),
                };
                columns.push(Column::right(&title, cells(&rows, *n, *block, field)?));
            }
        }
    }
    let head = head(&fields, &sizes, &blocks);
    let label = format!("{head}: {}", record.device.title());
    let content = paragraph("cell-head", &escape(&head)) + &scrolling(&columns, &label);
    let records: Vec<&Record> = rows.iter().map(|row| row.record).collect();
    figure_of(book, content, &records)
}

/// What all cells of a table have in common, and by what its columns differ.
fn head(fields: &[&str], sizes: &[u64], blocks: &[Option<u32>]) -> String {
    let mut parts = Vec::new();
    if let [field] = fields {
        parts.push(title(field));
    }
    match sizes {
        [n] => parts.push(format!("n = {}", raised(&size(*n)))),
        _ => parts.push("by n".to_string()),
    }
    match blocks {
        [None] => {}
        [Some(block)] => parts.push(format!("{} threads per block", thousands((*block).into()))),
        _ => parts.push("by threads per block".to_string()),
    }
    parts.join(" · ")
}

/// A rival's time over that of chapter 7's last rung, by size.
fn against(book: &Workbook, record: &Record, rival: &str) -> Result<String> {
    let columns = comparison::versus(record, rival)
        .context("there is no such rival; there are: cub, not-guaranteed, gpu-to-gpu, thrust")?;
    let mut cub =
        record.section_runs(comparison::COMPARISON).iter().filter(|run| run.kernel.starts_with("cub"));
    let cub = cub.find_map(|run| run.library.as_deref()).unwrap_or("CUB");
    let rival = match rival {
        "cub" => cub.to_string(),
        "thrust" => "Thrust".to_string(),
        promise => format!("{cub} with determinism::{}", promise.replace('-', "_")),
    };
    let head = format!("{rival}: its time over reduceLimit's");
    let table = scrolling(&columns, &format!("{head}: {}", record.device.title()));
    figure_of(book, paragraph("cell-head", &escape(&head)) + &table, &[record])
}

/// The kernels as rows: `KERNEL` is one of `record`, `RECORD/KERNEL` one of another record. Where none is
/// named, all of `record`.
fn rows<'a>(book: &'a Workbook, record: &'a Record, kernels: &[&'a str]) -> Result<Vec<Row<'a>>> {
    if kernels.is_empty() {
        return Ok(record.runs.iter().map(|run| Row { record, kernel: &run.kernel }).collect());
    }
    let row = |kernel: &&'a str| {
        let (record, kernel) = match kernel.split_once('/') {
            Some((other, kernel)) => (named(book, other)?, kernel),
            None => (record, *kernel),
        };
        records::of_kernels(record, &[kernel])?;
        Ok(Row { record, kernel })
    };
    kernels.iter().map(row).collect()
}

/// What the head of the table calls a field.
fn title(field: &str) -> String {
    match field {
        "gbps" | "alone-gbps" => "GB/s".to_string(),
        "alone" => "the work alone".to_string(),
        "cold" => "one call, cold cache".to_string(),
        "warm" => "one call, warm cache".to_string(),
        "alone-datasheet" => "of the peak rate".to_string(),
        _ if field.ends_with("-ratio") => "speedup".to_string(),
        _ if field.ends_with("-step") => "gained".to_string(),
        _ => field.replace('_', " "),
    }
}

/// The value of each row, [`NONE`] where a kernel has no such run though another row has. The field
/// `FIELD-ratio` is the first row's value divided by that of the row, and `FIELD-step` that of the row above.
fn cells(rows: &[Row], n: u64, block: Option<u32>, field: &str) -> Result<Vec<String>> {
    let of = |row: &Row, field| of_kernel(row.record, row.kernel, n, block, field);
    let over = |above: &Row, row: &Row, field| {
        Ok(format!("{}×", two_digits(of(above, field)?.value / of(row, field)?.value)))
    };
    let cell = |(i, row): (usize, &Row)| match (field.strip_suffix("-ratio"), field.strip_suffix("-step")) {
        (Some(field), _) => over(&rows[0], row, field),
        (_, Some(_)) if i == 0 => Ok(String::new()),
        (_, Some(field)) => over(&rows[i - 1], row, field),
        _ => Ok(of(row, field)?.text.trim_end_matches("\u{a0}GB/s").to_string()),
    };
    let all: Vec<Result<String>> = rows.iter().enumerate().map(cell).collect();
    if all.iter().any(Result::is_ok) {
        return Ok(all.into_iter().map(|cell| cell.unwrap_or(NONE.into())).collect());
    }
    all.into_iter().collect()
}

/// The tables that `cargo bench -- --record` has left, and a note if the kernels have changed since.
fn simulator(book: &Workbook) -> Result<String> {
    let (tables, note) = recorded(book, SIMULATOR, "cargo bench")?;
    Ok(tables + &note)
}

/// The table of the recorded `cargo bench --bench limit` for one type, and a note if the kernels have changed
/// since.
fn sweep(book: &Workbook, element: &str) -> Result<String> {
    let (text, note) = recorded(book, SWEEP, "cargo bench --bench limit")?;
    let (tables, by) = text.trim_end().rsplit_once("\n\n").unwrap_or_default();
    let table = tables.split("\n\n").find(|table| table.starts_with(&format!("| `{element}`")));
    let table = table.with_context(|| format!("{SWEEP}.md has no table of {element}"))?;
    Ok(format!("<div class=\"sweep\">\n\n{table}\n\n</div>\n\n<small>{by}</small>\n{note}"))
}

/// The text of a bench's file, whose head names the chapter and its code as it was measured, and a note if
/// that has changed since.
fn recorded(book: &Workbook, name: &str, command: &str) -> Result<(String, String)> {
    let text =
        book.read(&format!("{name}.md")).with_context(|| format!("make it again: {command} -- --record"))?;
    let (head, tables) = text.split_once("\n\n").unwrap_or_default();
    let (stem, code) = head.trim_matches(['<', '!', '-', '>', ' ']).split_once(' ').unwrap_or_default();
    let note = format!(
        "<code>kernels/{stem}.cu</code> has changed since this was measured; run <code>{command}</code>."
    );
    Ok((tables.to_string(), format!("\n{}", note_unless(is_current(book, stem, code), &note))))
}
