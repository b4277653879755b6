//! Charts of a record.

use anyhow::{Context, Result};
use workbook::chapters::charts;

use crate::html::figure;
use crate::page::Page;
use crate::provenance::{changed_since, provenance};
use crate::records::named;
use crate::words::{Words, list};
use crate::{ncu, selection};

/// One chart of a committed record, of at most five of its kernels, with where it came from; or one of what
/// ncu counted.
pub fn chart(page: &mut Page, words: &Words) -> Result<String> {
    let (source, name) = (words.of[0], words.of[1]);
    if source == ncu::SOURCE {
        return ncu::chart(page.book, name, &words.list("kernel"));
    }
    let record = selection::of_kernels(&named(page.book, source)?, &words.list("kernel"))?;
    let charts = charts(&record, words.vertical()?)?;
    let chart = selection::chart(&charts, name)?.with_context(|| {
        format!(
            "the record has no chart `{name}`; there are: {}",
            list(charts.iter().map(|chart| chart.name))
        )
    })?;
    Ok(figure(&(chart.html() + &changed_since(page.book, &record)?), &provenance(&record)))
}
