//! The reader's own run beside the recorded one: how the two differ, in a sentence.

use workbook::record::table::shown_columns;
use workbook::record::{Record, Run};
use workbook::text::number::{size, thousands, two_digits};

/// Times that differ by less are called the same.
const ALIKE: f64 = 1.05;
/// Columns that are a time, or follow from it.
const TIMES: [&str; 2] = ["time", "gbps"];

/// How the runs of `own` differ from those of `recorded` with the same kernels, in `columns` as the cell
/// shows them; `None` if the two have no kernel in common.
pub fn difference(recorded: &Record, own: &Record, columns: &[&str]) -> Option<String> {
    let of_same = |run: &&Run| recorded.runs.iter().find(|other| other.kernel == run.kernel);
    let pairs: Vec<(&Run, &Run)> = own.runs.iter().filter_map(|run| Some((of_same(&run)?, run))).collect();
    let (there, here) = pairs.first()?;
    if there.n != here.n {
        return Some(format!(
            "Another size: n = {} here, and {} in the recorded run.",
            size(here.n),
            size(there.n)
        ));
    }
    if there.block != here.block {
        let [here, there] = [here.block, there.block].map(|block| thousands(block.into()));
        return Some(format!(
            "Other blocks: {here} threads per block here, and {there} in the recorded run."
        ));
    }
    let others = differing(recorded, own, columns);
    let same = match &others[..] {
        [] => "Identical to the recorded run".to_string(),
        others => format!("Other than in the recorded run: {}", others.join(", ")),
    };
    let on = &recorded.device.title();
    let where_to = if own.device.title() == *on { "in the recorded run" } else { &format!("on the {on}") };
    Some(match longer(&pairs) {
        None => format!("{same}."),
        Some(times) if others.is_empty() => format!("The same results, {times} {where_to}."),
        Some(times) => format!("{same}. It took {times} {where_to}."),
    })
}

/// The columns, other than times, in which a kernel that both have differs.
fn differing(recorded: &Record, own: &Record, columns: &[&str]) -> Vec<String> {
    let there = shown_columns(recorded, columns);
    let here = shown_columns(own, columns);
    let row = |record: &Record, kernel: &str| record.runs.iter().position(|run| run.kernel == kernel);
    let rows: Vec<(usize, usize)> =
        (0..).zip(&own.runs).filter_map(|(place, run)| Some((row(recorded, &run.kernel)?, place))).collect();
    let mut names = Vec::new();
    for column in here.iter().skip(1).filter(|column| !TIMES.contains(&column.name())) {
        let Some(other) = there.iter().find(|other| other.name() == column.name()) else { continue };
        if rows.iter().any(|(there, here)| other.rows().get(*there) != column.rows().get(*here)) {
            names.push(column.name().to_string());
        }
    }
    names
}

/// `1.8 times as long as`, `0.9 to 1.4 times as long as`; `None` without times.
fn longer(pairs: &[(&Run, &Run)]) -> Option<String> {
    let times = pairs.iter().filter_map(|(there, here)| Some((there.time_us?, here.time_us?)));
    let ratios: Vec<f64> = times.map(|(there, here)| here.median / there.median).collect();
    let least = ratios.iter().copied().reduce(f64::min)?;
    let most = ratios.iter().copied().reduce(f64::max)?;
    let [low, high] = [least, most].map(two_digits);
    Some(if least > ALIKE.recip() && most < ALIKE {
        "as long as".to_string()
    } else if low == high {
        format!("{low} times as long as")
    } else {
        format!("{low} to {high} times as long as")
    })
}
