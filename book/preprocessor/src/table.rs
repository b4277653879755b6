//! A small table in place of many numbers: kernels down, and sizes, blocks or fields across.

use anyhow::{Context, Result, ensure};
use workbook::chapters::ch7_limit::comparison;
use workbook::number::{raised, size, thousands, two_digits};
use workbook::record::Record;
use workbook::record::columns::{Column, NONE, escape};

use crate::html::{figure, paragraph, scrolling};
use crate::number::of_kernel;
use crate::page::{Page, Workbook};
use crate::provenance::{changed_since, provenance};
use crate::records::named;
use crate::words::Words;
use crate::{benches, ncu, selection};

/// A row: the record it is from, and the kernel there.
struct Row {
    record: Record,
    kernel: String,
}

/// What stands in a column.
struct Place<'a> {
    title: String,
    n: u64,
    block: Option<u32>,
    field: &'a str,
}

/// Rows are kernels. With several sizes or blocks those are the columns, of one field; else the fields are.
pub fn table(page: &mut Page, words: &Words) -> Result<String> {
    let book = page.book;
    let (source, fields) = (words.of[0], words.of.get(1).copied());
    match source {
        ncu::SOURCE => return ncu::table(book, &words.list("kernel")),
        benches::SIMULATOR => return benches::simulator(book),
        benches::SWEEP => {
            return benches::sweep(book, fields.context("names no type of element; for one: i32")?);
        }
        _ => {}
    }
    let record = named(book, source)?;
    if let Some(rival) = words.get("against") {
        return against(book, &record, rival);
    }
    let rows = rows(book, &record, &words.list("kernel"))?;
    let fields: Vec<&str> = fields.context("names no field; for one: time")?.split(',').collect();
    let mut sizes = words.numbers("n")?;
    if sizes.is_empty() {
        sizes.push(record.n);
    }
    let blocks: Vec<u32> = words.numbers("block")?;

    let mut columns = vec![Column::left("kernel", rows.iter().map(|row| row.kernel.as_str()))];
    for place in places(&fields, &sizes, &blocks)? {
        columns.push(Column::right(&place.title, cells(&rows, &place)?));
    }
    let by = |what: &str| Some(format!("by {what}"));
    let same = [
        (fields.len() == 1).then(|| title(fields[0])),
        if sizes.len() > 1 { by("n") } else { Some(format!("n = {}", raised(&size(sizes[0])))) },
        match blocks[..] {
            [] => None,
            [block] => Some(format!("{} threads per block", thousands(block.into()))),
            _ => by("threads per block"),
        },
    ];
    let head = same.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let label = format!("{head}: {}", record.device.title());
    let mut content = paragraph("cell-head", &escape(&head)) + &scrolling(&columns, &label);
    let mut sources: Vec<String> = Vec::new();
    for Row { record, .. } in rows {
        let source = provenance(&record);
        if !sources.contains(&source) {
            content += &changed_since(book, &record)?;
            sources.push(source);
        }
    }
    Ok(figure(&content, &sources.join("<br>")))
}

/// How the last rung of chapter 7 meets a rival.
fn against(book: &Workbook, record: &Record, rival: &str) -> Result<String> {
    let columns = comparison::versus(record, rival)
        .context("there is no such rival; there are: cub, not-guaranteed, gpu-to-gpu, thrust")?;
    let mut cub = record.comparison.iter().filter(|run| run.kernel.starts_with("cub"));
    let cub = cub.find_map(|run| run.library.as_deref()).unwrap_or("CUB");
    let rival = match rival {
        "cub" => cub.to_string(),
        "thrust" => "Thrust".to_string(),
        promise => format!("{cub} with determinism::{}", promise.replace('-', "_")),
    };
    let head = format!("{rival}: its time over reduceLimit's");
    let table = scrolling(&columns, &format!("{head}: {}", record.device.title()));
    let content = paragraph("cell-head", &escape(&head)) + &table + &changed_since(book, record)?;
    Ok(figure(&content, &provenance(record)))
}

/// The kernels as rows: those of `record`, or of the record named before a slash; without any, all.
fn rows(book: &Workbook, record: &Record, kernels: &[&str]) -> Result<Vec<Row>> {
    let row = |record: &Record, kernel: &str| Row { record: record.clone(), kernel: kernel.to_string() };
    if kernels.is_empty() {
        return Ok(record.runs.iter().map(|run| row(record, &run.kernel)).collect());
    }
    let named = |kernel: &&str| {
        let (other, kernel) = match kernel.split_once('/') {
            Some((other, kernel)) => (Some(named(book, other)?), kernel),
            None => (None, *kernel),
        };
        let record = other.as_ref().unwrap_or(record);
        selection::of_kernels(record, &[kernel])?;
        Ok(row(record, kernel))
    };
    kernels.iter().map(named).collect()
}

/// The columns: sizes, blocks or fields, of which only one may be several.
fn places<'a>(fields: &[&'a str], sizes: &[u64], blocks: &[u32]) -> Result<Vec<Place<'a>>> {
    let several = [fields.len(), sizes.len(), blocks.len()].into_iter().filter(|count| *count > 1).count();
    ensure!(several <= 1, "has several of fields, sizes and blocks; only one of them can make the columns");
    let (field, n, block) = (fields[0], sizes[0], blocks.first().copied());
    Ok(if sizes.len() > 1 {
        sizes.iter().map(|&n| Place { title: raised(&size(n)), n, block, field }).collect()
    } else if blocks.len() > 1 {
        let at = |&block: &u32| Place { title: thousands(block.into()), n, block: Some(block), field };
        blocks.iter().map(at).collect()
    } else {
        fields.iter().map(|field| Place { title: title(field), n, block, field }).collect()
    })
}

/// What the head of the table calls a field.
fn title(field: &str) -> String {
    match field {
        "gbps" | "alone-gbps" => "GB/s".to_string(),
        "alone" => "the work alone".to_string(),
        "cold" => "one call, cold cache".to_string(),
        "warm" => "one call, warm cache".to_string(),
        "alone-datasheet" => "of the data sheet's rate".to_string(),
        _ if field.ends_with("-ratio") => "speedup".to_string(),
        _ => field.replace('_', " "),
    }
}

/// The value of each row; [`NONE`] where a kernel has no such run though another row has.
fn cells(rows: &[Row], place: &Place) -> Result<Vec<String>> {
    let all: Vec<Result<String>> = rows.iter().map(|row| cell(&rows[0], row, place)).collect();
    if all.iter().any(Result::is_ok) {
        return Ok(all.into_iter().map(|cell| cell.unwrap_or(NONE.into())).collect());
    }
    all.into_iter().collect()
}

/// The field `FIELD-ratio` is how many times the row's the first row's is.
fn cell(first: &Row, row: &Row, place: &Place) -> Result<String> {
    let of = |row: &Row, field| of_kernel(&row.record, &row.kernel, place.n, place.block, field);
    Ok(match place.field.strip_suffix("-ratio") {
        Some(field) => format!("{}×", two_digits(of(first, field)?.value / of(row, field)?.value)),
        None => of(row, place.field)?.text.trim_end_matches("\u{a0}GB/s").to_string(),
    })
}
