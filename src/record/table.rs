//! A record as the text that the terminal and the book show.

use device::levels::Level;
use ptx_simulator::{Counters, Kind};
use reduction::value::Value;
use text::columns::{Column, MAX_WIDTH, NONE, fit, text_table, text_table_in_groups};
use text::number::{scientific, thousands, three_digits, time};

use crate::record::{Record, Run};

/// The runs of `record` at its `n`: sums and verdicts, then times (GPU, CPU) or counts (simulator). At most
/// 100 columns, ends in a newline.
pub fn table(record: &Record) -> String {
    let runs: Vec<&Run> = record.runs.iter().collect();
    let mut columns = vec![names("kernel", &runs)];
    columns.extend(results(record));
    let mut text = format!("{}\n\n", head(record));
    let times = times(&runs);
    if !fit(columns.iter().chain(&times)) {
        text += &in_groups(&columns, &runs);
        text.push('\n');
        columns = vec![names("times", &runs)];
    }
    columns.extend(times);
    text += &in_groups(&columns, &runs);
    let launching = runs.iter().copied().filter(|run| per_launch(run).is_some()).collect();
    text += &part("kernels that launch kernels", launching, launches);
    let counted = runs.iter().copied().filter(|run| run.counters.is_some()).collect();
    text += &part("counts", counted, counts);
    let notes = notes(record);
    if notes.is_empty() { text } else { format!("{text}\n{}\n", notes.join("\n")) }
}

/// All columns of [`table`] side by side, the kernel's name first; a row per run.
pub fn columns(record: &Record) -> Vec<Column> {
    let runs: Vec<&Run> = record.runs.iter().collect();
    let mut columns = vec![names("kernel", &runs)];
    columns.extend(results(record));
    columns.extend(times(&runs));
    columns.extend(launches(&runs));
    columns.extend(counts(&runs));
    columns
}

/// The [`columns`] called `names`, or all that have something to say. The kernel's name always comes first.
pub fn shown_columns(record: &Record, names: &[&str]) -> Vec<Column> {
    let mut all = columns(record);
    if names.is_empty() {
        let is_noise = |column: &Column| column.name() == "grid" && column.is_constant();
        all.retain(|column| column.has_something_to_say() && !is_noise(column));
        return all;
    }
    let chosen = names
        .iter()
        .filter_map(|name| all.iter().find(|column| column.name() == *name && column.has_values()));
    all.iter().take(1).chain(chosen).cloned().collect()
}

/// Shape, result and verdict of each run.
fn results(record: &Record) -> Vec<Column> {
    let runs = &record.runs;
    let any = |has: fn(&Run) -> bool| runs.iter().any(has);
    let mut columns = Vec::new();
    let mut add = |title, cell: fn(&Run) -> String| columns.push(Column::right(title, runs.iter().map(cell)));
    if any(|run| run.grid > 0) {
        add("grid", |run| if run.grid > 0 { thousands(run.grid.into()) } else { NONE.into() });
    }
    add(if any(|run| run.operation.is_some()) { "result" } else { "sum" }, |run| run.sum.to_string());
    if common_expected(record).is_none() {
        add(
            "serial",
            |run| if run.expected == run.sum { "the same".into() } else { run.expected.to_string() },
        );
    }
    if any(|run| run.bound.is_some()) {
        add("within", |run| run.bound.map_or(NONE.into(), scientific));
    }
    add("check", verdict);
    columns
}

/// Times and rates; none without a clock.
fn times(runs: &[&Run]) -> Vec<Column> {
    if runs.iter().all(|run| run.time_us.is_none()) {
        return Vec::new();
    }
    let time = |run: &&Run| run.time_us.map_or(NONE.into(), |time| time.to_string());
    let rate = |run: &&Run| run.gigabytes_per_second().map_or(NONE.into(), three_digits);
    vec![
        Column::right("median [min .. max]", runs.iter().map(time)).named("time"),
        Column::right("GB/s", runs.iter().map(rate)).named("gbps"),
    ]
}

/// A table of the columns `of` some runs, set off from what is above; empty without runs.
fn part(title: &str, runs: Vec<&Run>, of: fn(&[&Run]) -> Vec<Column>) -> String {
    if runs.is_empty() {
        return String::new();
    }
    let mut columns = vec![names(title, &runs)];
    columns.extend(of(&runs).into_iter().filter(Column::has_something_to_say));
    format!("\n{}", in_groups(&columns, &runs))
}

fn names(title: &str, runs: &[&Run]) -> Column {
    Column::left(title, runs.iter().map(|run| run.kernel.as_str()))
}

/// A table with a row per run. In a long one a blank line sets off runs of one operation from those of
/// another; a list of operations with one run each is one group.
fn in_groups(columns: &[Column], runs: &[&Run]) -> String {
    let same = |a: usize, b: usize| match (runs.get(a), runs.get(b)) {
        (Some(a), Some(b)) => a.operation == b.operation,
        _ => false,
    };
    let is_single = |row: usize| (row == 0 || !same(row - 1, row)) && !same(row, row + 1);
    let starts_group = |row: usize| {
        runs.len() > 12 && row > 0 && !same(row - 1, row) && !(is_single(row - 1) && is_single(row))
    };
    text_table_in_groups(columns, starts_group)
}

/// `ok`, or what the checks have found in a sum that happens to be right or never came to be, or `WRONG`.
fn verdict(run: &Run) -> String {
    match run.found.first() {
        _ if run.ok => "ok".into(),
        Some(Kind::LaunchLimit) => Kind::LaunchLimit.to_string(),
        Some(kind) if run.is_right() => kind.to_string(),
        _ => "WRONG".into(),
    }
}

/// Chapter and [`headline`]: one line, or two if an array's result makes it too long.
fn head(record: &Record) -> String {
    let line = format!("{}: {}", record.stem, headline(record));
    if line.chars().count() <= MAX_WIDTH { line } else { line.replacen("; ", ";\n", 1) }
}

/// `65,536 elements, 512 threads per block; the right result is 1,234`
pub fn headline(record: &Record) -> String {
    let mut text = format!("{} elements", thousands(record.n as i64));
    if record.block > 0 {
        text += &format!(", {} threads per block", thousands(record.block.into()));
    }
    if let Some(expected) = common_expected(record) {
        text += &format!("; the right result is {expected}");
    }
    text
}

/// What the serial recursion says, where it is the same for all runs.
fn common_expected(record: &Record) -> Option<&Value> {
    let first = &record.runs.first()?.expected;
    record.runs.iter().all(|run| run.expected == *first).then_some(first)
}

/// Kernels that device code launches in a timed run, and the run's time over them.
fn per_launch(run: &Run) -> Option<(u64, f64)> {
    let launches = run.device_launches.filter(|_| run.dropped.is_none())?;
    let time = run.time_us?;
    Some((launches, time.median / launches as f64))
}

/// What device code launches, and the share of the time that falls to each launch; none where it launches
/// nothing.
fn launches(runs: &[&Run]) -> Vec<Column> {
    let all: Vec<Option<(u64, f64)>> = runs.iter().map(|run| per_launch(run)).collect();
    if all.iter().all(Option::is_none) {
        return Vec::new();
    }
    let cell = |of: fn((u64, f64)) -> String| all.iter().map(move |one| one.map_or(NONE.into(), of));
    vec![
        Column::right("launches", cell(|(launches, _)| thousands(launches as i64))),
        Column::right("per launch", cell(|(_, share)| time(share))),
    ]
}

/// Exact counts.
fn counts(runs: &[&Run]) -> Vec<Column> {
    type Count = fn(&Counters) -> u64;
    let counts: [(&str, Count); 8] = [
        ("warp inst.", |c| c.warp_instructions),
        ("divergent", |c| c.divergent_branches),
        ("ld sectors", |c| c.global_load_sectors),
        ("st sectors", |c| c.global_store_sectors),
        ("conflicts", |c| c.shared_bank_conflicts),
        ("barriers", |c| c.barriers),
        ("atomics", |c| c.atomics),
        ("launches", |c| c.device_launches),
    ];
    let column = |(title, count): (&str, Count)| {
        let count = |run: &&Run| run.counters.as_ref().map(count);
        Column::right(
            title,
            runs.iter().map(|run| count(run).map_or(NONE.into(), |count| thousands(count as i64))),
        )
    };
    counts.into_iter().map(column).collect()
}

/// What a reader should know about a row: what it is kept to show, launches that did not happen. One line
/// each.
pub fn notes(record: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    for run in &record.runs {
        if let Some(failure) = &run.expected_failure {
            lines.push(format!("{} is kept to show: {failure}", run.kernel));
        }
        if let Some(difference) = &run.difference {
            lines.push(format!("{}: {difference}", run.kernel));
        }
        if let Some(dropped) = &run.dropped {
            let launches = if dropped.launches == 1 { "launch" } else { "launches" };
            lines.push(format!(
                "{}: {} {launches} dropped, {} ({})",
                run.kernel,
                thousands(dropped.launches as i64),
                dropped.name,
                dropped.error
            ));
        }
    }
    lines.extend(wrong_elsewhere(record));
    lines
}

/// What has gone wrong beyond the runs at the requested size. One line each.
pub fn wrong_elsewhere(record: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    for run in record.sweep.iter().filter(|run| !run.as_expected()) {
        lines.push(format!(
            "WRONG in the sweep: {}, n = {}, {} threads per block",
            run.kernel,
            thousands(run.n as i64),
            thousands(run.block.into())
        ));
    }
    for (section, run) in record.all_section_runs().filter(|(_, run)| !run.as_expected()) {
        lines.push(format!(
            "WRONG in the {section} runs: {}, n = {}, start {}: {}, not {}",
            run.kernel,
            thousands(run.n as i64),
            run.offset,
            run.sum,
            run.expected
        ));
    }
    lines
}

/// How a nested kernel went, level by level.
pub fn levels(kernel: &str, levels: &[Level]) -> String {
    let column = |title, count: fn(&Level) -> u64| {
        Column::right(title, levels.iter().map(|level| thousands(count(level) as i64)))
    };
    format!(
        "{kernel}, level by level:\n\n{}",
        text_table(&[
            Column::right("level", (0..levels.len()).map(|number| number.to_string())),
            column("grids", |level| level.grids),
            column("blocks", |level| level.blocks),
            column("threads", |level| level.threads),
        ])
    )
}

#[cfg(test)]
mod tests {
    use reduction::value::Expected;
    use std::collections::BTreeMap;

    use super::*;
    use crate::record::{Dropped, Failure, SCHEMA};
    use device::{DeviceInfo, DeviceKind, Timing};
    use reduction::operation::Operation;

    /// The longest kernel name, the largest numbers.
    fn record(time_us: Option<Timing>, counters: Option<Counters>) -> Record {
        let sum = i32::MIN;
        let name = "gpuRecursiveReduceFireAndForget";
        let run = Run::of(name, 1 << 26, &Operation::SUM, &sum.into(), &Expected::exactly(sum));
        let run = Run { block: 32, grid: 1 << 21, time_us, counters, ..run };
        Record {
            schema: SCHEMA,
            stem: "ch4_nested".into(),
            device: DeviceInfo::new(DeviceKind::Sim, "test"),
            date: "2026-01-02T03:04:05Z".into(),
            command: "cargo run --example ch4_nested".into(),
            source_hash: "0".into(),
            compiler: None,
            n: run.n,
            block: run.block,
            grid: run.grid,
            seed: 1,
            runs: vec![run],
            sweep: vec![],
            sections: BTreeMap::new(),
            ok: true,
        }
    }

    #[test]
    fn the_table_fits_100_columns() {
        let time = Timing { median: 998_765.4, min: 123_456.0, max: 9_876_543.0, repeats: 3 };
        let counters = Counters {
            warp_instructions: 999_999_999,
            divergent_branches: 33_554_432,
            global_load_sectors: 99_999_999,
            global_store_sectors: 99_999_999,
            barriers: 9_999_999,
            device_launches: 9_999_999,
            ..Counters::default()
        };
        for text in [table(&record(Some(time), None)), table(&record(None, Some(counters)))] {
            assert!(text.contains("2,097,152") && text.contains("-2,147,483,648"), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= MAX_WIDTH), "{text}");
        }
    }

    #[test]
    fn what_went_wrong_is_said() {
        let mut record = record(Timing::of(vec![6e6]), None);
        let run = &mut record.runs[0];
        run.ok = false;
        run.sum = 7.into();
        run.expected_failure = Some(Failure::Found(Kind::DataRace));
        let name = "cudaErrorLaunchPendingCountExceeded".to_string();
        run.dropped = Some(Dropped { launches: 92_166, error: 69, name });
        record.sweep = vec![Run { ok: false, sum: 8.into(), ..record.runs[0].clone() }];
        record.sweep[0].expected_failure = None;
        let text = table(&record);
        for part in [
            "67,108,864 elements, 32 threads per block; the right result is -2,147,483,648",
            "7  WRONG      6.00 s, one run",
            "is kept to show: data-race",
            "WRONG in the sweep: gpuRecursiveReduceFireAndForget, n = 67,108,864, 32 threads per block",
            "92,166 launches dropped, cudaErrorLaunchPendingCountExceeded (69)",
        ] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= MAX_WIDTH), "{text}");
    }

    #[test]
    fn an_array_fits_the_screen_too() {
        let mut record = record(None, None);
        let elements = Value::Text("67,108,864 elements … -2,147,483,648".into());
        for run in &mut record.runs {
            run.sum = elements.clone();
            run.expected = elements.clone();
        }
        let text = table(&record);
        assert!(text.contains(";\nthe right result is 67,108,864 elements …"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= MAX_WIDTH), "{text}");
    }

    #[test]
    fn results_of_several_operations_stand_beside_what_was_expected() {
        let mut record = record(None, None);
        let dot = Run {
            operation: Some("dot product of f32".into()),
            sum: 0.25f32.into(),
            expected: 0.5.into(),
            bound: Some(0.3),
            ..record.runs[0].clone()
        };
        record.runs.push(dot);
        let text = table(&record);
        for part in
            ["67,108,864 elements, 32 threads per block\n", "result", "0.25", "0.5", "within", "3.0e-1"]
        {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
    }
}
