//! The map of the kernels: what each does and what it costs. The first comes from the chapters' variants, all
//! else from the records.

use anyhow::{Context, Result};
use workbook::chapter::Variant;
use workbook::device::DeviceKind;
use workbook::record::{Record, Run};
use workbook::sim::Counters;
use workbook::text::columns::{Column, NONE};
use workbook::text::number::{raised, size, thousands, time};

use crate::directive::Words;
use crate::html::scrolling;
use crate::page::{Page, Workbook};
use crate::provenance::figure_of;
use crate::records::{committed, runs};

/// The size at which launches and sectors are counted, and those at which times are shown.
const COUNTED: u64 = 1 << 16;
const TIMED: [u64; 2] = [1 << 20, 1 << 24];

/// A chapter with its kernels, and where they were recorded.
struct Chapter<'a> {
    stem: &'static str,
    variants: &'static [Variant],
    /// `ch3_blocks.md`; that of the chapter's first page where the stem has none of its own.
    page: String,
    gpu: Option<&'a Record>,
    sim: Option<&'a Record>,
}

/// A heading per page and a table per chapter, in the order of the book.
pub fn kernels(page: &mut Page, _: &Words) -> Result<String> {
    let book = page.book;
    let chapters = chapters(book)?;
    let mut text = String::new();
    let mut page = "";
    for chapter in &chapters {
        if chapter.page != page {
            page = &chapter.page;
            // A heading that is a link would leave mdBook's own link to the heading without text.
            let title = heading(book, page)?;
            text += &format!("## {title}\n\nExplained in [{title}]({page}).\n\n");
        }
        text += &format!("{}\n\n", table(book, chapter)?);
    }
    Ok(text)
}

/// The chapters whose kernels were timed over many sizes, as their pages come in the book.
fn chapters(book: &Workbook) -> Result<Vec<Chapter<'_>>> {
    let summary = book.read("book/src/SUMMARY.md")?;
    let mut found = Vec::new();
    for workbook::chapter::Chapter { stem, variants, .. } in chapters::CHAPTERS {
        // Its own page, with the chapter's number or without; else the first page of the chapter.
        let (number, name) = stem.split_once('_').unwrap_or((stem, stem));
        let pages = [format!("({stem}.md)"), format!("({name}.md)"), format!("({number}_")];
        let place = pages.iter().find_map(|page| summary.find(page));
        let Some(place) = place else { continue };
        let page = summary[place + 1..].split(')').next().unwrap_or_default().to_string();
        let gpu = committed(book, stem, DeviceKind::Gpu)?;
        let sim = committed(book, stem, DeviceKind::Sim)?;
        // Where nothing was timed over many sizes, the chapter's own tables say more.
        if gpu.or(sim).is_some_and(|record| !record.sweep.is_empty()) {
            found.push((place, Chapter { stem, variants, page, gpu, sim }));
        }
    }
    found.sort_by_key(|(place, _)| *place);
    Ok(found.into_iter().map(|(_, chapter)| chapter).collect())
}

/// `4 · Nested`: the title of a page.
fn heading(book: &Workbook, page: &str) -> Result<String> {
    let text = book.read(&format!("book/src/{page}"))?;
    let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
    Ok(title.with_context(|| format!("book/src/{page} does not begin with its title"))?.to_string())
}

fn all(record: Option<&Record>) -> impl Iterator<Item = &Run> {
    record.into_iter().flat_map(runs)
}

impl Chapter<'_> {
    /// The median time of `kernel` at `n`, the shortest where several block sizes were timed.
    fn fastest(&self, kernel: &str, n: u64) -> Option<f64> {
        let is_asked = |run: &&Run| run.kernel == kernel && run.n == n && run.ok;
        let times = all(self.gpu).filter(is_asked).filter_map(|run| run.time_us);
        times.map(|time| time.median).min_by(f64::total_cmp)
    }
}

/// The kernels of a chapter that were run over many sizes.
fn table(book: &Workbook, chapter: &Chapter) -> Result<String> {
    let Some(record) = chapter.gpu.or(chapter.sim) else { return Ok(String::new()) };
    let is_swept = |run: &&Run| run.block > 0 && record.sweep.iter().any(|swept| swept.kernel == run.kernel);
    let runs: Vec<&Run> = record.runs.iter().filter(is_swept).collect();
    let at = |title: &str, n: u64| format!("{title}, {}", raised(&size(n)));
    let counts = |title: &str, count: fn(&Counters) -> u64| {
        let cell = |run: &&Run| {
            let is_counted = |other: &&Run| other.kernel == run.kernel && other.n == COUNTED;
            let counted = all(chapter.sim).find(is_counted).and_then(|run| run.counters.as_ref());
            counted.map_or(NONE.into(), |counters| thousands(count(counters) as i64))
        };
        Column::right(&at(title, COUNTED), runs.iter().map(cell))
    };
    let idea = |run: &&Run| {
        let variant = chapter.variants.iter().find(|variant| variant.name == run.kernel);
        variant.map(|variant| variant.idea).filter(|idea| !idea.is_empty()).with_context(|| {
            format!("{} does not say what {} does: add .does(…) to its variant", chapter.stem, run.kernel)
        })
    };
    let ideas = runs.iter().map(idea).collect::<Result<Vec<_>>>()?;
    let mut columns = vec![
        Column::left("kernel", runs.iter().map(|run| run.kernel.as_str())),
        Column::left("what it does", ideas),
        counts("sectors", |counters| counters.global_load_sectors + counters.global_store_sectors),
        counts("launches", |counters| counters.device_launches),
    ];
    for n in TIMED {
        let cell = |run: &&Run| chapter.fastest(&run.kernel, n).map_or(NONE.into(), time);
        columns.push(Column::right(&at("time", n), runs.iter().map(cell)));
    }
    columns.retain(|column| column.name() == "kernel" || column.has_something_to_say());
    let table = scrolling(&columns, &format!("Kernels of {}", chapter.stem));
    let records: Vec<&Record> = [chapter.gpu, chapter.sim].into_iter().flatten().collect();
    figure_of(book, table, &records)
}
