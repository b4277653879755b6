//! What an answer is taken from: the times of a chapter's GPU record, or what `ncu` counted for each line of
//! the exercise's kernel (`benches/ncu_lines.json`, made by `benches/ncu_lines.py`).

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use text::columns::{Column, text_table};
use text::files::read_lines;
use text::number::{percent, size, thousands, time};
use workbook::record::Record;

/// The times of one kernel for one length, by threads per block.
#[derive(Clone, Debug)]
pub struct Times {
    stem: String,
    kernel: String,
    n: u64,
}

impl Times {
    /// `ch3_blocks reduceInterleaved n=16777216`
    pub fn parse(text: &str) -> Result<Times> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [stem, kernel, n] = words[..] else { anyhow::bail!("STEM KERNEL n=N") };
        let n = n.strip_prefix("n=").and_then(|n| n.parse().ok()).context("n=N")?;
        Ok(Times { stem: stem.to_string(), kernel: kernel.to_string(), n })
    }

    /// The record, from the repository root.
    pub fn file(&self) -> String {
        format!("book/records/{}.gpu.json", self.stem)
    }

    fn record(&self, root: &Path) -> Result<Record> {
        Record::read(&root.join(self.file()))
            .with_context(|| format!("the record that {} asks about", self.kernel))
    }

    /// Threads per block, and the microseconds that it takes with them; the shortest time first.
    pub fn read(&self, root: &Path) -> Result<Vec<(u32, f64)>> {
        let record = self.record(root)?;
        let runs = record.runs.iter().chain(&record.sweep);
        let runs = runs.filter(|run| run.kernel == self.kernel && run.n == self.n);
        let mut times: Vec<(u32, f64)> =
            runs.filter_map(|run| Some((run.block, run.time_us.as_ref()?.median))).collect();
        times.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        times.dedup_by_key(|(block, _)| *block);
        Ok(times)
    }

    /// The times as a table, by block size.
    pub fn table(&self, root: &Path) -> Result<String> {
        let mut times = self.read(root)?;
        times.sort_by_key(|(block, _)| *block);
        let columns = [
            Column::right("threads per block", times.iter().map(|(block, _)| thousands((*block).into()))),
            Column::right("time", times.iter().map(|(_, us)| time(*us))),
        ];
        let kernel = &self.kernel;
        let n = size(self.n);
        let name = self.record(root)?.device.name;
        Ok(format!("{kernel}, {n} elements, on an {name}:\n{}", indented(&text_table(&columns))))
    }
}

/// Where it is, from the repository root.
pub const PROFILE: &str = "benches/ncu_lines.json";

/// What `ncu` counted for each line of an exercise's kernel.
#[derive(Deserialize)]
struct Profile {
    device: String,
    driver: String,
    ncu: String,
    n: u64,
    block: u32,
    time_us: f64,
    mended_us: f64,
    lines: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    /// From the line that begins with `extern "C"`, which is 0.
    line: u32,
    code: String,
    /// Samples of warps whose next instruction belongs to this line.
    samples: u64,
    /// What most of them waited for; empty if there are few.
    waits_for: String,
    /// Load and store instructions to global memory, executed by warps.
    requests: u64,
    /// Sectors that these asked for.
    sectors: u64,
}

impl Profile {
    fn read(root: &Path) -> Result<Profile> {
        let text = read_lines(&root.join(PROFILE)).with_context(|| format!("cannot read {PROFILE}"))?;
        serde_json::from_str(&text).with_context(|| format!("{PROFILE} is not a profile"))
    }
}

/// The profile of `stub`, a learner's file, as a table with the file's own line numbers.
pub fn profile(root: &Path, stub: &str) -> Result<String> {
    let profile = Profile::read(root)?;
    let first =
        stub.lines().position(|line| line.starts_with("extern \"C\"")).context("there is no kernel")?;
    let all: u64 = profile.lines.iter().map(|line| line.samples).sum();
    for line in &profile.lines {
        let code = stub.lines().nth(first + line.line as usize).unwrap_or("").trim();
        ensure!(code == line.code, "{PROFILE} is of another text; run python3 benches/ncu_lines.py");
    }
    let cells = |cell: &dyn Fn(&Line) -> String| profile.lines.iter().map(cell).collect::<Vec<_>>();
    let or_none = |line: &Line, number: u64| match line.requests {
        0 => String::new(),
        _ => thousands(number as i64),
    };
    let columns = [
        Column::left("line", cells(&|line| format!("{}  {}", first as u32 + 1 + line.line, cut(&line.code)))),
        Column::right("samples", cells(&|line| percent(line.samples as f64, all as f64))),
        Column::right("waiting for", cells(&|line| line.waits_for.clone())),
        Column::right("requests", cells(&|line| or_none(line, line.requests))),
        Column::right("sectors each", cells(&|line| or_none(line, line.sectors / line.requests.max(1)))),
    ];
    let Profile { device, driver, ncu, n, block, time_us, .. } = &profile;
    Ok(format!(
        "{device}, driver {driver}, ncu {ncu}; {} elements, {block} threads per block, {}:\n{}",
        size(*n),
        time(*time_us),
        indented(&text_table(&columns))
    ))
}

/// What mending the line is worth, in a sentence.
pub fn gain(root: &Path) -> Result<String> {
    let Profile { time_us, mended_us, .. } = Profile::read(root)?;
    Ok(format!("With that line mended the kernel took {} instead of {}.", time(mended_us), time(time_us)))
}

/// Characters of a line of code, at most.
const CODE: usize = 34;

fn cut(code: &str) -> String {
    match code.char_indices().nth(CODE) {
        Some((end, _)) => format!("{}…", &code[..end]),
        None => code.to_string(),
    }
}

fn indented(table: &str) -> String {
    table.lines().map(|line| format!("  {line}\n")).collect()
}
