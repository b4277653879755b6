//! A small table in place of many numbers: kernels down, and sizes, blocks or fields across.

use anyhow::{Context, Result, ensure};
use chapters::ch7_limit::comparison;
use workbook::number::{raised, size, thousands, two_digits};
use workbook::record::columns::{Column, NONE, escape, html_table};
use workbook::record::{Record, Run};

use crate::cell::scrolling;
use crate::figure::{changed, figure, provenance};
use crate::options::{Options, threads};
use crate::records::{named, run};
use crate::value::{of_record, quantity};
use crate::version::changed_since;
use crate::{Workbook, selection};

/// How a page writes [`table`].
pub const TABLE: &str = "{{#table STEM.KIND FIELD[,FIELD] [kernel=A,STEM.KIND/B] [n=N,N] [block=B,B]}}";

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
/// `ratio` is the first row's time over this row's, `alone-ratio` the same of the work alone.
pub fn table(workbook: &Workbook, name: &str, fields: &str, words: &[&str]) -> Result<String> {
    let options = Options::parse(words, &["kernel", "n", "block"])?;
    let record = named(workbook, name)?;
    let rows = rows(workbook, &record, &options.list("kernel"))?;
    let fields: Vec<&str> = fields.split(',').filter(|field| !field.is_empty()).collect();
    let sizes = match &options.numbers("n")?[..] {
        [] => vec![record.n],
        sizes => sizes.to_vec(),
    };
    let blocks: Vec<u32> = options.numbers("block")?.into_iter().map(threads).collect();

    let mut columns = vec![Column::left("kernel", rows.iter().map(|row| row.kernel.as_str()))];
    for place in places(&fields, &sizes, &blocks)? {
        columns.push(Column::right(&place.title, cells(&rows, &place)?));
    }
    let same: Vec<String> = [
        (fields.len() == 1).then(|| title(fields[0])),
        Some(if sizes.len() == 1 { format!("n = {}", raised(&size(sizes[0]))) } else { "by n".into() }),
        match blocks[..] {
            [] => None,
            [block] => Some(format!("{} threads per block", thousands(block.into()))),
            _ => Some("by threads per block".to_string()),
        },
    ]
    .into_iter()
    .flatten()
    .collect();
    let head = same.join(" · ");
    let label = format!("{head}: {}", record.device.title());
    let mut content =
        format!("<p class=\"cell-head\">{}</p>\n", escape(&head)) + &scrolling(&html_table(&columns), &label);
    let mut sources: Vec<String> = Vec::new();
    for Row { record, .. } in rows {
        let source = provenance(&record);
        if !sources.contains(&source) {
            content.extend(changed_since(workbook, &record)?.map(|note| changed(&note)));
            sources.push(source);
        }
    }
    Ok(figure(&content, &sources.join("<br>")))
}

/// How the last rung of chapter 7 meets a rival, as a table.
pub fn versus(workbook: &Workbook, name: &str, rival: &str) -> Result<String> {
    let record = named(workbook, name)?;
    let columns = comparison::versus(&record, rival)
        .context("there is no such rival; there are: cub, not-guaranteed, gpu-to-gpu, thrust")?;
    let cub = record.section_runs(comparison::COMPARISON).iter().filter(|run| run.kernel.starts_with("cub"));
    let cub = cub.filter_map(|run| run.library.as_deref()).next().unwrap_or("CUB");
    let rival = match rival {
        "cub" => cub.to_string(),
        "thrust" => "Thrust".to_string(),
        promise => format!("{cub} with determinism::{}", promise.replace('-', "_")),
    };
    let head = format!("{rival}: its time over reduceLimit's");
    let note = changed_since(workbook, &record)?.map(|note| changed(&note)).unwrap_or_default();
    let table = scrolling(&html_table(&columns), &format!("{head}: {}", record.device.title()));
    let head = format!("<p class=\"cell-head\">{}</p>\n", escape(&head));
    Ok(figure(&(head + &table + &note), &provenance(&record)))
}

/// The kernels as rows: those of `record`, or of the record named before a slash; without any, all.
fn rows(workbook: &Workbook, record: &Record, kernels: &[&str]) -> Result<Vec<Row>> {
    if kernels.is_empty() {
        let row = |run: &Run| Row { record: record.clone(), kernel: run.kernel.clone() };
        return Ok(record.runs.iter().map(row).collect());
    }
    let row = |kernel: &&str| {
        let (record, kernel) = match kernel.split_once('/') {
            Some((other, kernel)) => (named(workbook, other)?, kernel),
            None => (record.clone(), *kernel),
        };
        selection::of_kernels(&record, &[kernel])?;
        Ok(Row { record, kernel: kernel.to_string() })
    };
    kernels.iter().map(row).collect()
}

/// The columns: sizes, blocks or fields, of which only one may be several.
fn places<'a>(fields: &[&'a str], sizes: &[u64], blocks: &[u32]) -> Result<Vec<Place<'a>>> {
    let field = *fields.first().context("names no field; for one: time")?;
    let several = [fields.len(), sizes.len(), blocks.len()].into_iter().filter(|count| *count > 1).count();
    ensure!(several <= 1, "has several of fields, sizes and blocks; only one of them can make the columns");
    let (n, block) = (sizes[0], blocks.first().copied());
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
        "gbps" => "GB/s".to_string(),
        "ratio" => "times as fast as the first".to_string(),
        "alone-ratio" => "speedup".to_string(),
        "alone" => "the work alone".to_string(),
        "cold" => "one call, cold cache".to_string(),
        "warm" => "one call, warm cache".to_string(),
        "alone-gbps" => "GB/s".to_string(),
        "alone-datasheet" => "of the data sheet's rate".to_string(),
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

fn cell(first: &Row, row: &Row, place: &Place) -> Result<String> {
    if place.field == "ratio" {
        let time = |row: &Row| quantity(run(&row.record, &row.kernel, place.n, place.block)?, "time");
        return Ok(format!("{}×", two_digits(time(first)? / time(row)?)));
    }
    if place.field == "alone-ratio" {
        let time = |row: &Row| {
            let timed = comparison::timed(&row.record, &row.kernel, place.n, "alone");
            timed.map(|(_, time)| time.median).context("the comparison has no such run")
        };
        return Ok(format!("{}×", two_digits(time(first)? / time(row)?)));
    }
    let text = of_record(&row.record, &row.kernel, place.n, place.block, place.field)?;
    Ok(text.trim_end_matches("\u{a0}GB/s").to_string())
}
