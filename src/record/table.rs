//! A record as the text that the terminal and the book show.

use crate::chapters::limit::comparison;
use crate::record::levels::Level;
use crate::record::{Record, Run, Timing};
use crate::reduction::value::{Expected, Value};
use crate::sim::{Counters, Kind};

const MAX_COLUMNS: usize = 100;

/// `ok`, or what the checks have found in a sum that happens to be right or never came to be, or `WRONG`.
fn verdict(run: &Run) -> String {
    match run.found.first() {
        _ if run.ok => "ok".into(),
        Some(Kind::LaunchLimit) => Kind::LaunchLimit.to_string(),
        Some(kind) if expected(run).admits(&run.sum) => kind.to_string(),
        _ => "WRONG".into(),
    }
}

fn expected(run: &Run) -> Expected {
    Expected { value: run.expected.clone(), bound: run.bound }
}

/// The runs of `record` at its `n`: sums and verdicts, then times (GPU, CPU) or counts (simulator). At most 100
/// columns, ends in a newline.
pub fn table(record: &Record) -> String {
    let mut text = headline(record);
    let has_grid = record.runs.iter().any(|run| run.grid > 0);
    let only_sums = record.runs.iter().all(|run| run.operation.is_none());
    let has_time = record.runs.iter().any(|run| run.time_us.is_some());

    let mut sums = vec![Column::left("kernel", record.runs.iter().map(|run| run.kernel.clone()))];
    let mut add =
        |title, cell: &dyn Fn(&Run) -> String| sums.push(Column::right(title, record.runs.iter().map(cell)));
    if has_grid {
        add("grid", &|run| if run.grid > 0 { thousands(run.grid.into()) } else { "-".into() });
    }
    add(if only_sums { "sum" } else { "result" }, &|run| run.sum.to_string());
    if common_expected(record).is_none() {
        let same = |run: &Run| run.expected == run.sum;
        add("serial", &|run| if same(run) { "the same".into() } else { run.expected.to_string() });
    }
    if record.runs.iter().any(|run| run.bound.is_some()) {
        add("within", &|run| within(run));
    }
    add("check", &verdict);
    if has_time {
        let mut times = Vec::new();
        let mut add = |title, cell: &dyn Fn(&Run) -> String| {
            times.push(Column::right(title, record.runs.iter().map(cell)));
        };
        add("median [min .. max]", &|run| run.time_us.map_or("-".into(), |time| time_range(&time)));
        add("GB/s", &|run| run.gigabytes_per_second().map_or("-".into(), three_digits));
        if width(&sums) + width(&times) > MAX_COLUMNS {
            layout_in_groups(&sums, &record.runs, &mut text);
            text.push('\n');
            sums = vec![Column::left("times", record.runs.iter().map(|run| run.kernel.clone()))];
        }
        sums.extend(times);
    }
    layout_in_groups(&sums, &record.runs, &mut text);

    let launching: Vec<(&Run, u64, Timing)> =
        record.runs.iter().filter_map(|run| Some((run, run.device_launches?, run.time_us?))).collect();
    if !launching.is_empty() {
        text.push('\n');
        layout(&launch_columns(&launching), &mut text);
    }

    let counted: Vec<_> = record.runs.iter().filter(|run| run.counters.is_some()).cloned().collect();
    if !counted.is_empty() {
        text.push('\n');
        layout_in_groups(&count_columns(&counted), &counted, &mut text);
    }
    text += &comparison::table(record);
    notes(record, &mut text);
    spaces(record, &mut text);
    text
}

/// An error bound, short.
fn within(run: &Run) -> String {
    match run.bound {
        None => "-".into(),
        Some(0.0) => "0".into(),
        Some(bound) => format!("{bound:.1e}"),
    }
}

/// What the memory spaces of the device cost, and its limits, where they were asked for.
fn spaces(record: &Record, text: &mut String) {
    let rows = &record.spaces;
    if !rows.is_empty() {
        text.push('\n');
        let columns = [
            Column::left("memory space", rows.iter().map(|row| row.space.clone())),
            Column::right("clocks a load", rows.iter().map(|row| three_digits(row.clocks))),
            Column::right("GB/s, whole GPU", rows.iter().map(|row| three_digits(row.gbps))),
        ];
        layout(&columns, text);
    }
    let rows = &record.limits;
    if !rows.is_empty() {
        text.push('\n');
        let columns = [
            Column::left("limit", rows.iter().map(|row| row.name.clone())),
            Column::right("of this GPU", rows.iter().map(|row| thousands(row.value))),
        ];
        layout(&columns, text);
    }
}

/// How a nested kernel went, level by level, and how many levels and grids each kernel had.
pub fn levels(kernels: &[(String, Vec<Level>)]) -> String {
    let mut text = String::new();
    let nested: Vec<_> = kernels.iter().filter(|(_, levels)| levels.len() > 1).collect();
    let Some((kernel, levels)) = nested.first() else { return text };
    text += &format!("{kernel}, level by level:\n\n");
    let column = |title, cell: &dyn Fn(&(usize, &Level)) -> u64| {
        Column::right(title, levels.iter().enumerate().map(|row| thousands(cell(&row) as i64)))
    };
    let columns = [
        column("level", &|(number, _)| *number as u64),
        column("grids", &|(_, level)| level.grids),
        column("blocks", &|(_, level)| level.blocks),
        column("threads", &|(_, level)| level.threads),
    ];
    layout(&columns, &mut text);
    text.push('\n');
    let grids = |levels: &[Level]| levels.iter().map(|level| level.grids).sum::<u64>();
    let columns = [
        Column::left("in all", nested.iter().map(|(kernel, _)| kernel.clone())),
        Column::right("levels", nested.iter().map(|(_, levels)| levels.len().to_string())),
        Column::right("grids", nested.iter().map(|(_, levels)| thousands(grids(levels) as i64))),
    ];
    layout(&columns, &mut text);
    text
}

/// `ch3_blocks: 65,536 elements, 512 threads a block; the serial recursion gives 1,234`
fn headline(record: &Record) -> String {
    let mut text = format!("{}: {} elements", record.stem, thousands(record.n as i64));
    if record.block > 0 {
        text += &format!(", {} threads a block", thousands(record.block.into()));
    }
    if let Some(expected) = common_expected(record) {
        text += &format!("; the serial recursion gives {expected}");
    }
    text + "\n\n"
}

/// What the serial recursion says, where it is the same for all runs.
fn common_expected(record: &Record) -> Option<&Value> {
    let first = &record.runs.first()?.expected;
    record.runs.iter().all(|run| run.expected == *first).then_some(first)
}

/// What device code launches, and the share of the time that falls to each launch.
fn launch_columns(runs: &[(&Run, u64, Timing)]) -> Vec<Column> {
    let share = |&(_, launches, time): &(&Run, u64, Timing)| self::time(time.median / launches as f64);
    vec![
        Column::left("kernels that launch kernels", runs.iter().map(|(run, ..)| run.kernel.clone())),
        Column::right("launches", runs.iter().map(|(_, launches, _)| thousands(*launches as i64))),
        Column::right("median", runs.iter().map(|(.., timing)| self::time(timing.median))),
        Column::right("a launch", runs.iter().map(share)),
    ]
}

/// Exact counts; a kind of event that no kernel shows has no column.
fn count_columns(runs: &[Run]) -> Vec<Column> {
    type Count = fn(&Counters) -> u64;
    let counts: [(&str, Count); 8] = [
        ("warp instr.", |c| c.warp_instructions),
        ("divergent", |c| c.divergent_branches),
        ("ld sectors", |c| c.global_load_sectors),
        ("st sectors", |c| c.global_store_sectors),
        ("conflicts", |c| c.shared_bank_conflicts),
        ("barriers", |c| c.barriers),
        ("atomics", |c| c.atomics),
        ("launches", |c| c.device_launches),
    ];
    let mut columns = vec![Column::left("counts", runs.iter().map(|run| run.kernel.clone()))];
    for (title, count) in counts {
        let of = |run: &Run| run.counters.as_ref().map_or(0, count);
        if runs.iter().any(|run| of(run) > 0) {
            columns.push(Column::right(title, runs.iter().map(|run| thousands(of(run) as i64))));
        }
    }
    columns
}

/// What a reader should know about a row: what it is kept to show, launches that did not happen.
fn notes(record: &Record, text: &mut String) {
    let mut lines = Vec::new();
    for run in &record.runs {
        if let Some(teaches) = &run.teaches {
            lines.push(format!("{} is kept to show: {teaches}", run.kernel));
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
    for run in record.sweep.iter().filter(|run| !run.as_taught()) {
        lines.push(format!(
            "WRONG in the sweep: {}, n = {}, {} threads a block",
            run.kernel,
            thousands(run.n as i64),
            thousands(run.block.into())
        ));
    }
    if !lines.is_empty() {
        *text += &format!("\n{}\n", lines.join("\n"));
    }
}

/// A column: its title and one cell a row.
pub(crate) struct Column {
    cells: Vec<String>,
    right: bool,
}

impl Column {
    pub(crate) fn left(title: &str, cells: impl Iterator<Item = String>) -> Column {
        Column { cells: std::iter::once(title.to_string()).chain(cells).collect(), right: false }
    }
    pub(crate) fn right(title: &str, cells: impl Iterator<Item = String>) -> Column {
        Column { right: true, ..Column::left(title, cells) }
    }
    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

/// Characters that the columns take, each with one blank.
fn width(columns: &[Column]) -> usize {
    columns.iter().map(|column| column.width() + 1).sum()
}

/// Writes the columns side by side, two blanks apart, or one where the line would grow too long.
pub(crate) fn layout(columns: &[Column], text: &mut String) {
    layout_with_gaps(columns, |_| false, text);
}

/// The same for a row a run, with a blank line where a run has neither the form nor the operation of the run above:
/// `reducePasses_sum_i32` is the form `reducePasses`.
fn layout_in_groups(columns: &[Column], runs: &[Run], text: &mut String) {
    let form = |run: &Run| run.kernel.split('_').next().map(str::to_string);
    let apart = |above: &Run, run: &Run| form(above) != form(run) && above.operation != run.operation;
    layout_with_gaps(columns, |row| row > 1 && apart(&runs[row - 2], &runs[row - 1]), text);
}

/// Row 0 holds the titles.
fn layout_with_gaps(columns: &[Column], gap_above: impl Fn(usize) -> bool, text: &mut String) {
    let widths: Vec<usize> = columns.iter().map(Column::width).collect();
    let long = widths.iter().sum::<usize>() + 2 * columns.len() > MAX_COLUMNS;
    let gap = if long { " " } else { "  " };
    let rows = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        if gap_above(row) {
            text.push('\n');
        }
        let mut line = String::new();
        for (column, width) in columns.iter().zip(&widths) {
            let cell = &column.cells[row];
            line += &if column.right { format!("{gap}{cell:>width$}") } else { format!("{cell:<width$}") };
        }
        *text += line.trim_end();
        text.push('\n');
    }
}

/// `-1,234,567`
pub fn thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_string() } else { String::new() };
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `449 ms`, from microseconds.
pub fn time(microseconds: f64) -> String {
    let (scale, unit) = unit_of(microseconds);
    format!("{} {unit}", three_digits(microseconds / scale))
}

/// `449 ms [430 .. 470]`, all in the unit of the median; a single run says so.
pub fn time_range(timing: &Timing) -> String {
    let (scale, unit) = unit_of(timing.median);
    let in_unit = |microseconds: f64| three_digits(microseconds / scale);
    if timing.repeats == 1 {
        return format!("{} {unit}, one run", in_unit(timing.median));
    }
    format!("{} {unit} [{} .. {}]", in_unit(timing.median), in_unit(timing.min), in_unit(timing.max))
}

/// The unit in which `microseconds` has one to three digits before the point, and its size in microseconds.
fn unit_of(microseconds: f64) -> (f64, &'static str) {
    match microseconds {
        ..1.0 => (1e-3, "ns"),
        ..1e3 => (1.0, "µs"),
        ..1e6 => (1e3, "ms"),
        _ => (1e6, "s"),
    }
}

/// Three significant digits: `1.23`, `12.3`, `123`, `1,234`.
fn three_digits(number: f64) -> String {
    match number {
        ..9.995 => format!("{number:.2}"),
        ..99.95 => format!("{number:.1}"),
        _ => thousands(number.round() as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{DeviceInfo, DeviceKind, Dropped, Limit, MemorySpace, SCHEMA};

    /// The longest kernel name, the largest numbers.
    fn record(time_us: Option<Timing>, counters: Option<Counters>) -> Record {
        let run = Run {
            kernel: "gpuRecursiveReduceFireAndForget".into(),
            n: 1 << 26,
            block: 32,
            grid: 1 << 21,
            operation: None,
            sum: i32::MIN.into(),
            expected: i32::MIN.into(),
            bound: None,
            element_bytes: None,
            ok: true,
            teaches: None,
            time_us,
            timings: None,
            library: None,
            counters,
            device_launches: None,
            dropped: None,
            found: Vec::new(),
        };
        let device =
            DeviceInfo { kind: DeviceKind::Sim, name: "test".into(), gpu: None, threads: None, cpu: None };
        Record {
            schema: SCHEMA,
            stem: "ch4_nested".into(),
            device,
            date: "2026-01-02T03:04:05Z".into(),
            command: "cargo run --example ch4_nested".into(),
            source_hash: "0".into(),
            n: run.n,
            block: run.block,
            grid: run.grid,
            seed: 1,
            runs: vec![run],
            sweep: vec![],
            contest: vec![],
            spaces: vec![],
            limits: vec![],
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
            assert!(text.lines().all(|line| line.chars().count() <= MAX_COLUMNS), "{text}");
        }
    }

    #[test]
    fn what_went_wrong_is_said() {
        let mut record = record(Timing::of(vec![6e6]), None);
        let run = &mut record.runs[0];
        (run.ok, run.sum, run.teaches) = (false, 7.into(), Some("data-race".into()));
        let name = "cudaErrorLaunchPendingCountExceeded".to_string();
        run.dropped = Some(Dropped { launches: 92_166, error: 69, name });
        record.sweep = vec![Run { ok: false, sum: 8.into(), ..record.runs[0].clone() }];
        record.sweep[0].teaches = None;
        let text = table(&record);
        for part in [
            "67,108,864 elements, 32 threads a block; the serial recursion gives -2,147,483,648",
            "7  WRONG      6.00 s, one run",
            "is kept to show: data-race",
            "WRONG in the sweep: gpuRecursiveReduceFireAndForget, n = 67,108,864, 32 threads a block",
            "92,166 launches dropped, cudaErrorLaunchPendingCountExceeded (69)",
        ] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= MAX_COLUMNS), "{text}");
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
        for part in ["67,108,864 elements, 32 threads a block\n", "result", "0.25", "0.5", "within", "3.0e-1"]
        {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
    }

    #[test]
    fn memory_spaces_and_limits_follow_where_they_were_measured() {
        let mut record = record(None, None);
        assert!(!table(&record).contains("memory space"));
        record.spaces = vec![MemorySpace { space: "shared".into(), clocks: 23.02, gbps: 32_494.9 }];
        record.limits = vec![Limit { name: "max_grid_dim_x".into(), value: 2_147_483_647 }];
        let text = table(&record);
        for row in [
            ["memory space", "clocks a load", "GB/s, whole GPU"],
            ["shared", "23.0", "32,495"],
            ["max_grid_dim_x", "2,147,483,647", ""],
        ] {
            let is_row = |line: &str| row.iter().all(|cell| line.contains(cell));
            assert!(text.lines().any(is_row), "no {row:?} in\n{text}");
        }
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(-2_147_483_648), "-2,147,483,648");
        assert_eq!(thousands(999), "999");
        assert_eq!(time(0.25), "250 ns");
        assert_eq!(time(17.3), "17.3 µs");
        assert_eq!(time(449_000.0), "449 ms");
        assert_eq!(time(3_631_000.0), "3.63 s");
    }
}
