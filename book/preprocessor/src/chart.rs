//! Charts of a record.

use anyhow::Result;
use chapters::charts;

use crate::page::Page;
use crate::provenance::figure_of;
use crate::records::named;
use crate::words::{Words, pick};
use crate::{ncu, selection};

/// One chart of a committed record, of at most five of its kernels, with where it came from; or one of what
/// ncu counted.
pub fn chart(page: &mut Page, words: &Words) -> Result<String> {
    let (source, name) = (words.of[0], words.of[1]);
    if source == ncu::SOURCE {
        return ncu::chart(page.book, name, &words.list("kernel"));
    }
    let record = selection::of_kernels(named(page.book, source)?.as_ref(), &words.list("kernel"))?;
    let charts = charts(&record, words.vertical()?)?;
    let chart = selection::few_lines(pick(&charts, name, |chart| chart.name, "the record has no chart")?)?;
    figure_of(page.book, chart.html(), &[&record])
}
