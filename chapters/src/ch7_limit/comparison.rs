//! Reads the record's sections on our kernels beside CUB, Thrust and the CPU, on the same arrays.

use workbook::device::Timing;
use workbook::record::{Record, Run, Timings, chart};
use workbook::reduction::error_bound::{UNIT_F32, of_sum};
use workbook::reduction::operation::{Operation, SUM_F32, SUM_I64};
use workbook::reduction::operator::rounded_sum;
use workbook::text::columns::{Column, NONE};
use workbook::text::number::thousands;

/// The section of all contenders at the sizes of the table, timed in turns and in several ways.
pub const COMPARISON: &str = "comparison";
/// That of the last rung and CUB at the sizes and places of [`super::choice::UNTUNED`].
pub const UNTUNED: &str = "untuned";

/// A type of the comparison.
pub struct Type {
    /// `i32`
    pub name: &'static str,
    /// What the names of its runs end in.
    suffix: &'static str,
    /// What is computed.
    pub operation: Operation,
}

/// The types of the comparison.
pub const TYPES: [Type; 3] = [
    Type { name: "i32", suffix: "", operation: Operation::SUM },
    Type { name: "f32", suffix: "F32", operation: ROUNDED_F32 },
    Type { name: "i64", suffix: "I64", operation: SUM_I64 },
];

/// The sum of `f32` between -1 and 1. Every addition rounds, in every contender's own order; no element goes
/// through more than 2^13 of them.
const ROUNDED_F32: Operation = Operation {
    expected: |numbers| rounded_sum::<f32>(numbers).widened(of_sum(numbers.len() as u64, 1 << 13, UNIT_F32)),
    ..SUM_F32
};

/// Our last rung.
pub const LIMIT: &str = "reduceLimit";
/// `cub::DeviceReduce::Sum`
pub const CUB: &str = "cub";
/// The same without a guarantee that two runs give the same sum.
pub const CUB_NOT_GUARANTEED: &str = "cubNotGuaranteed";
/// The same with the same bits on every GPU, which is another algorithm for `f32` alone.
pub const CUB_GPU_TO_GPU: &str = "cubGpuToGpu";
/// `thrust::reduce`
pub const THRUST: &str = "thrust";
/// All threads of the CPU.
pub const CPU: &str = "rayon";
/// An empty kernel: what a launch costs.
pub const NOTHING: &str = "doNothing";
/// A kernel that waits for nothing but its launch and the memory: computed, not run.
const PERFECT: &str = "perfect";

impl Type {
    /// The runs of `contender`, one of the names above, for elements of this type.
    pub fn run_of(&self, contender: &str) -> String {
        format!("{contender}{}", self.suffix)
    }
}

type OfRun = fn(&Timings) -> Option<Timing>;

/// The ways in which a comparison is timed: the word of a page's directive, and where it stands in a run.
pub const MEASURES: [(&str, OfRun); 3] =
    [("alone", |t| t.work_alone), ("cold", |t| t.one_call_cold), ("warm", |t| t.one_call_warm)];

/// The time of a run by the measure of that word; the time of a wrong sum is none.
fn time(run: &Run, measure: &str) -> Option<Timing> {
    let (_, of) = MEASURES.iter().find(|(word, _)| *word == measure)?;
    of(run.timings.as_ref()?).filter(|_| run.ok)
}

/// The run of `kernel` at `n`, and its time.
pub fn timed<'a>(record: &'a Record, kernel: &str, n: u64, measure: &str) -> Option<(&'a Run, Timing)> {
    let run = record.section_runs(COMPARISON).iter().find(|run| run.kernel == kernel && run.n == n)?;
    Some((run, time(run, measure)?))
}

/// The median of `kernel` in microseconds. Of a perfect one, which waits for nothing but its launch and the
/// memory: what an empty kernel takes, and the array's bytes at the best rate of the record.
fn median(record: &Record, kernel: &str, n: u64, measure: &str) -> Option<f64> {
    let Some(suffix) = kernel.strip_prefix(PERFECT) else {
        return timed(record, kernel, n, measure).map(|(_, time)| time.median);
    };
    let (run, launch) = timed(record, &format!("{NOTHING}{suffix}"), n, measure)?;
    Some(launch.median + n as f64 * f64::from(run.bytes_per_element()) / best_rate(record)? / 1e3)
}

/// How many times as long `first` takes as `second`, at each size at which both were timed: `(n, ratio)`.
pub fn ratios(record: &Record, first: &str, second: &str, measure: &str) -> Vec<(u64, f64)> {
    let sizes = record.section_runs(COMPARISON).iter().filter(|run| run.kernel == first).map(|run| run.n);
    let time = |kernel, n| median(record, kernel, n, measure);
    sizes.filter_map(|n| Some((n, time(first, n)? / time(second, n)?))).collect()
}

/// The same at each size and place that nothing was tuned for.
pub fn untuned(record: &Record, first: &str, second: &str, measure: &str) -> Vec<(u64, f64)> {
    let runs = || record.section_runs(UNTUNED).iter();
    let ratio = |run: &Run| {
        let beside = |other: &&Run| other.kernel == second && (other.n, other.offset) == (run.n, run.offset);
        Some((run.n, time(run, measure)?.median / time(runs().find(beside)?, measure)?.median))
    };
    runs().filter(|run| run.kernel == first).filter_map(ratio).collect()
}

/// The least of the ratios.
pub fn least(ratios: &[(u64, f64)]) -> Option<f64> {
    ratios.iter().map(|(_, ratio)| *ratio).min_by(f64::total_cmp)
}

/// The geometric mean of the ratios; none of nothing.
pub fn geometric_mean(ratios: &[(u64, f64)]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|(_, ratio)| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

/// How the last rung meets one rival, `cub`, `not-guaranteed`, `gpu-to-gpu` or `thrust`: a row per type and
/// measure with the geometric mean of the rival's time over ours, the least of those at the sizes of the
/// table and at the others, and what a perfect kernel would have. `None` of another word.
pub fn versus(record: &Record, rival: &str) -> Option<Vec<Column>> {
    let rival = match rival {
        "cub" => CUB,
        "not-guaranteed" => CUB_NOT_GUARANTEED,
        "gpu-to-gpu" => CUB_GPU_TO_GPU,
        "thrust" => THRUST,
        _ => return None,
    };
    let mut rows: Vec<String> = Vec::new();
    let mut cells: [Vec<String>; 4] = Default::default();
    for of in &TYPES {
        let rival = of.run_of(rival);
        let limit = of.run_of(LIMIT);
        let perfect = of.run_of(PERFECT);
        for (measure, _) in MEASURES {
            let tuned = ratios(record, &rival, &limit, measure);
            let Some(mean) = geometric_mean(&tuned) else { continue };
            let perfect = geometric_mean(&ratios(record, &rival, &perfect, measure));
            rows.push(format!("{} {measure}", of.name));
            let values = [
                Some(mean),
                least(&tuned),
                least(&untuned(record, &rival, &limit, measure)),
                // With a warm cache the array need not come from memory.
                perfect.filter(|_| measure != "warm"),
            ];
            for (cells, value) in cells.iter_mut().zip(values) {
                cells.push(two_decimals(value));
            }
        }
    }
    let titles = ["mean", "least", "least, untuned", "mean of the yardstick"];
    let mut columns = vec![Column::left("type and time", rows)];
    columns.extend(titles.into_iter().zip(cells).map(|(title, cells)| Column::right(title, cells)));
    columns.retain(Column::has_values);
    Some(columns)
}

fn two_decimals(ratio: Option<f64>) -> String {
    ratio.map_or(NONE.to_string(), |ratio| format!("{ratio:.2}"))
}

/// The best rate of our kernels in GB/s, the work alone: what the memory gives to one who only reads.
pub fn best_rate(record: &Record) -> Option<f64> {
    let ours = |run: &&Run| run.library.is_none() && !run.kernel.starts_with(NOTHING) && run.n >= 1 << 28;
    let runs = record.section_runs(COMPARISON).iter().filter(ours);
    runs.filter_map(|run| run.rate(run.timings?.work_alone?)).max_by(f64::total_cmp)
}

/// CUB's times over ours: a row per size and one with the geometric means. No table where there are none.
pub fn table(record: &Record) -> Option<Vec<Column>> {
    let sizes = chart::sizes(record.section_runs(COMPARISON).iter());
    let names = sizes.iter().map(|&n| thousands(n as i64)).chain(["geometric mean".to_string()]);
    let mut columns = vec![Column::left("CUB's time over ours", names)];
    for of in TYPES {
        for (measure, _) in MEASURES {
            let ratios = ratios(record, &of.run_of(CUB), &of.run_of(LIMIT), measure);
            let Some(mean) = geometric_mean(&ratios) else { continue };
            let at = |n: &u64| ratios.iter().find(|(size, _)| size == n).map(|(_, ratio)| *ratio);
            let cells = sizes.iter().map(at).chain([Some(mean)]).map(two_decimals);
            let title =
                if measure == MEASURES[0].0 { format!("{} {measure}", of.name) } else { measure.to_string() };
            columns.push(Column::right(&title, cells));
        }
    }
    (columns.len() > 1).then_some(columns)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use workbook::record::Section;
    use workbook::reduction::data;
    use workbook::reduction::operator::{Sum, elements};
    use workbook::text::columns::text_table;

    use super::super::choice::UNTUNED as SIZES;
    use super::*;

    /// Times of `kernel` that are all `microseconds`.
    fn run(kernel: &str, n: u64, offset: u64, microseconds: f64) -> Run {
        let time = Timing::of(vec![microseconds]);
        let timings = Timings { one_call_cold: time, one_call_warm: time, work_alone: time };
        Run { kernel: kernel.to_string(), n, offset, ok: true, timings: Some(timings), ..Run::default() }
    }

    #[test]
    fn sums_of_the_compared_floats_round_and_are_checked() {
        let numbers = data::numbers(1000, 1);
        let floats = elements::<Sum<f32>>(&numbers);
        let forwards: f32 = floats.iter().sum();
        let backwards: f32 = floats.iter().rev().sum();
        assert_ne!(forwards, backwards, "no addition rounds");
        let expected = (ROUNDED_F32.expected)(&numbers);
        assert!(expected.admits(&forwards.into()) && expected.admits(&backwards.into()));
        assert!(!expected.admits(&(forwards + 1.0).into()), "{:?}", expected.bound);
    }

    #[test]
    fn a_rival_is_met_at_tuned_sizes_and_at_others() {
        let pair = |n, offset, cub| [run("reduceLimit", n, offset, 1.0), run("cub", n, offset, cub)];
        let comparison = [pair(1 << 10, 0, 2.0), pair(1 << 12, 0, 8.0)].concat();
        let untuned = [pair(SIZES[0].0, SIZES[0].1, 1.5), pair(1 << 16, 1, 1.25)].concat();
        let other = serde_json::from_str(include_str!("../../../book/records/ch7_limit.sim.json")).unwrap();
        let sections = [(COMPARISON, comparison), (UNTUNED, untuned)];
        let sections = sections.map(|(name, runs)| (name.to_string(), Section::Runs(runs)));
        let record = Record { sections: BTreeMap::from(sections), ..other };
        let columns = versus(&record, "cub").unwrap();
        let text = text_table(&columns);
        let row = text.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(row, "i32 alone 4.00 2.00 1.25", "{text}");
        assert!(!text.contains("f32") && !text.contains("bound"), "{text}");
        assert!(versus(&record, "nobody").is_none());
    }

    #[test]
    fn no_tuned_size_is_among_the_untuned() {
        let tuned = |n: u64| n.is_power_of_two() && n.ilog2().is_multiple_of(2);
        assert!(SIZES.iter().all(|&(n, offset)| !tuned(n) || offset > 0), "{SIZES:?}");
    }
}
