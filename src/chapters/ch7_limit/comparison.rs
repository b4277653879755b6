//! Reads the record's section on chapter 7's kernels beside CUB, Thrust and the CPU, on the same arrays.

use super::{F32, I32, I64};
use crate::number::thousands;
use crate::record::chart;
use crate::record::columns::{Column, NONE};
use crate::record::{GpuInfo, Record, Run, Timing, Timings};
use crate::reduction::error_bound::{UNIT_F32, of_sum};
use crate::reduction::operation::Operation;
use crate::reduction::operator::rounded_sum;

/// An empty kernel: what a launch costs.
pub const NOTHING: &str = "doNothing";

/// What the runs of one type are called.
pub struct Names {
    /// `i32`
    pub type_name: &'static str,
    /// What is computed.
    pub operation: Operation,
    /// Our last rung.
    pub limit: &'static str,
    /// `cub::DeviceReduce::Sum`
    pub cub: &'static str,
    /// The same without a guarantee that two runs give the same sum.
    pub cub_not_guaranteed: &'static str,
    /// The same with the same bits on every GPU, where that is another algorithm.
    pub cub_gpu_to_gpu: Option<&'static str>,
    /// `thrust::reduce`
    pub thrust: &'static str,
    /// All threads of the CPU.
    pub cpu: &'static str,
    /// The empty kernel, timed beside those of this type.
    pub nothing: &'static str,
    /// A kernel that waits for nothing but its launch and the memory: computed, not run.
    pub perfect: &'static str,
}

/// The sum of `f32` between -1 and 1. Every addition rounds, in every contender's own order; no element goes
/// through more than 2^13 of them.
const ROUNDED_F32: Operation = Operation {
    expected: |numbers| rounded_sum::<f32>(numbers).widened(of_sum(numbers.len() as u64, 1 << 13, UNIT_F32)),
    ..F32
};

/// The types of the comparison.
pub const TYPES: [Names; 3] = [
    Names {
        type_name: "i32",
        operation: I32,
        limit: "reduceLimit",
        cub: "cub",
        cub_not_guaranteed: "cubNotGuaranteed",
        cub_gpu_to_gpu: None,
        thrust: "thrust",
        cpu: "rayon",
        nothing: NOTHING,
        perfect: "perfect",
    },
    Names {
        type_name: "f32",
        operation: ROUNDED_F32,
        limit: "reduceLimitF32",
        cub: "cubF32",
        cub_not_guaranteed: "cubNotGuaranteedF32",
        cub_gpu_to_gpu: Some("cubGpuToGpuF32"),
        thrust: "thrustF32",
        cpu: "rayonF32",
        nothing: "doNothingF32",
        perfect: "perfectF32",
    },
    Names {
        type_name: "i64",
        operation: I64,
        limit: "reduceLimitI64",
        cub: "cubI64",
        cub_not_guaranteed: "cubNotGuaranteedI64",
        cub_gpu_to_gpu: None,
        thrust: "thrustI64",
        cpu: "rayonI64",
        nothing: "doNothingI64",
        perfect: "perfectI64",
    },
];

fn is_empty_kernel(run: &Run) -> bool {
    TYPES.iter().any(|names| names.nothing == run.kernel)
}

type OfRun = fn(&Timings) -> Option<Timing>;

/// The ways in which a comparison is timed: the word of a page's directive, and where it stands in a run.
pub const MEASURES: [(&str, OfRun); 3] =
    [("alone", |t| t.work_alone), ("cold", |t| t.one_call_cold), ("warm", |t| t.one_call_warm)];

/// The run of `kernel` at `n`, and its time by the measure of that word; the time of a wrong sum is none.
pub fn timed<'a>(record: &'a Record, kernel: &str, n: u64, measure: &str) -> Option<(&'a Run, Timing)> {
    let (_, of) = MEASURES.iter().find(|(word, _)| *word == measure)?;
    let run = record.comparison.iter().find(|run| run.kernel == kernel && run.n == n && run.ok)?;
    Some((run, of(run.timings.as_ref()?)?))
}

/// The median of `kernel` in microseconds. Of a perfect one, which waits for nothing but its launch and the
/// memory: what an empty kernel takes, and the array's bytes at the best rate of the record.
fn median(record: &Record, kernel: &str, n: u64, measure: &str) -> Option<f64> {
    let Some(names) = TYPES.iter().find(|names| names.perfect == kernel) else {
        return timed(record, kernel, n, measure).map(|(_, time)| time.median);
    };
    let (run, launch) = timed(record, names.nothing, n, measure)?;
    Some(launch.median + n as f64 * f64::from(run.bytes_per_element()) / best_rate(record)? / 1e3)
}

/// How many times as long `first` takes as `second`, at each size at which both were timed: `(n, ratio)`.
pub fn ratios(record: &Record, first: &str, second: &str, measure: &str) -> Vec<(u64, f64)> {
    let sizes = record.comparison.iter().filter(|run| run.kernel == first).map(|run| run.n);
    let time = |kernel, n| median(record, kernel, n, measure);
    let ratio = |n| Some((n, time(first, n)? / time(second, n)?));
    sizes.filter_map(ratio).collect()
}

/// Sizes that the last rung's table was not tuned for, each with the place of the first element: one more
/// than a row of the table holds, one less than a power of two, three times one, and arrays that begin one
/// element after an aligned address.
pub const UNTUNED: [(u64, u64); 11] = [
    ((1 << 12) + 1, 0),
    (3 << 13, 0),
    (1 << 16, 1),
    ((1 << 18) + 1, 0),
    ((1 << 20) - 1, 0),
    (3 << 20, 0),
    ((1 << 22) + 1, 0),
    (1 << 24, 1),
    ((1 << 24) + 1, 0),
    (3 << 25, 0),
    ((1 << 28) + 1, 0),
];

/// How many times as long `first` takes as `second` at each of [`UNTUNED`]: `(n, offset, ratio)`.
pub fn untuned(record: &Record, first: &str, second: &str, measure: &str) -> Vec<(u64, u64, f64)> {
    let Some((_, of)) = MEASURES.iter().find(|(word, _)| *word == measure) else { return Vec::new() };
    let time = |kernel, (n, offset)| {
        let is = |run: &&Run| run.kernel == kernel && (run.n, run.offset) == (n, offset) && run.ok;
        Some(of(record.untuned.iter().find(is)?.timings.as_ref()?)?.median)
    };
    let ratio = |(n, offset)| Some((n, offset, time(first, (n, offset))? / time(second, (n, offset))?));
    UNTUNED.into_iter().filter_map(ratio).collect()
}

/// How the last rung meets one rival, `cub`, `not-guaranteed`, `gpu-to-gpu` or `thrust`: a row per type and
/// measure with the geometric mean of the rival's time over ours, the least of those at the sizes of the
/// table and at the others, and what a perfect kernel would have. `None` of another word.
pub fn versus(record: &Record, rival: &str) -> Option<Vec<Column>> {
    let of: fn(&Names) -> Option<&'static str> = match rival {
        "cub" => |names| Some(names.cub),
        "not-guaranteed" => |names| Some(names.cub_not_guaranteed),
        "gpu-to-gpu" => |names| names.cub_gpu_to_gpu,
        "thrust" => |names| Some(names.thrust),
        _ => return None,
    };
    let mut rows: Vec<String> = Vec::new();
    let mut cells: [Vec<String>; 4] = Default::default();
    let least = |ratios: Vec<f64>| ratios.into_iter().min_by(f64::total_cmp);
    for names in &TYPES {
        let Some(rival) = of(names) else { continue };
        for (measure, _) in MEASURES {
            let tuned = ratios(record, rival, names.limit, measure);
            let Some(mean) = geometric_mean(&tuned) else { continue };
            let untuned = untuned(record, rival, names.limit, measure);
            let perfect = ratios(record, rival, names.perfect, measure);
            // With a warm cache the array need not come from memory.
            let perfect = geometric_mean(&perfect).filter(|_| measure != "warm");
            rows.push(format!("{} {measure}", names.type_name));
            let values = [
                Some(mean),
                least(tuned.into_iter().map(|(_, ratio)| ratio).collect()),
                least(untuned.into_iter().map(|(_, _, ratio)| ratio).collect()),
                perfect,
            ];
            for (cells, value) in cells.iter_mut().zip(values) {
                cells.push(value.map_or(NONE.to_string(), |value| format!("{value:.2}")));
            }
        }
    }
    let titles = ["mean", "least", "least, untuned", "perfect"];
    let mut columns = vec![Column::left("type and time", rows)];
    columns.extend(titles.into_iter().zip(cells).map(|(title, cells)| Column::right(title, cells)));
    columns.retain(Column::has_values);
    Some(columns)
}

/// The geometric mean of the ratios; none of nothing.
pub fn geometric_mean(ratios: &[(u64, f64)]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|(_, ratio)| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

/// The best rate of our kernels in GB/s, the work alone: what the memory gives to one who only reads.
pub fn best_rate(record: &Record) -> Option<f64> {
    let ours = record.comparison.iter().filter(|run| run.library.is_none() && !is_empty_kernel(run));
    let rates = ours.filter(|run| run.n >= 1 << 28).filter_map(|run| run.rate(run.timings?.work_alone?));
    rates.max_by(f64::total_cmp)
}

/// What the memory's clock and its bus allow, in GB/s: two transfers a clock.
pub fn datasheet(gpu: &GpuInfo) -> f64 {
    f64::from(gpu.memory_clock_mhz) * 2.0 * f64::from(gpu.memory_bus_bits) / 8.0 / 1e3
}

/// CUB's times over ours: a row per size and one with the geometric means. Just the sizes where there are
/// none.
pub fn columns(record: &Record) -> Vec<Column> {
    let sizes = chart::sizes(record.comparison.iter());
    let names = sizes.iter().map(|&n| thousands(n as i64)).chain(["geometric mean".to_string()]);
    let mut columns = vec![Column::left("CUB's time over ours", names)];
    for Names { type_name, limit, cub, .. } in TYPES {
        for (measure, _) in MEASURES {
            let ratios = ratios(record, cub, limit, measure);
            let Some(mean) = geometric_mean(&ratios) else { continue };
            let at = |n: &u64| ratios.iter().find(|(size, _)| size == n).map(|(_, ratio)| *ratio);
            let all = sizes.iter().map(at).chain([Some(mean)]);
            let cells = all.map(|ratio| ratio.map_or(NONE.to_string(), |ratio| format!("{ratio:.2}")));
            let title =
                if measure == MEASURES[0].0 { format!("{type_name} {measure}") } else { measure.to_string() };
            columns.push(Column::right(&title, cells));
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::columns::text_table;
    use crate::reduction::data;
    use crate::reduction::operator::{Sum, elements};

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
        let (forwards, backwards): (f32, f32) = (floats.iter().sum(), floats.iter().rev().sum());
        assert_ne!(forwards, backwards, "no addition rounds");
        let expected = (ROUNDED_F32.expected)(&numbers);
        assert!(expected.admits(&forwards.into()) && expected.admits(&backwards.into()));
        assert!(!expected.admits(&(forwards + 1.0).into()), "{:?}", expected.bound);
    }

    #[test]
    fn a_rival_is_met_at_tuned_sizes_and_at_others() {
        let pair = |n, offset, cub| [run("reduceLimit", n, offset, 1.0), run("cub", n, offset, cub)];
        let comparison = [pair(1 << 10, 0, 2.0), pair(1 << 12, 0, 8.0)].concat();
        let untuned = [pair(UNTUNED[0].0, UNTUNED[0].1, 1.5), pair(1 << 16, 1, 1.25)].concat();
        let other = serde_json::from_str(include_str!("../../../book/records/ch7_limit.sim.json")).unwrap();
        let record = Record { comparison, untuned, ..other };
        let columns = versus(&record, "cub").unwrap();
        let text = text_table(&columns);
        let row = text.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(row, "i32 alone 4.00 2.00 1.25", "{text}");
        assert!(!text.contains("f32") && !text.contains("perfect"), "{text}");
        assert!(versus(&record, "nobody").is_none());
    }

    #[test]
    fn no_tuned_size_is_among_the_untuned() {
        let tuned = |n: u64| n.is_power_of_two() && n.ilog2().is_multiple_of(2);
        assert!(UNTUNED.iter().all(|&(n, offset)| !tuned(n) || offset > 0), "{UNTUNED:?}");
    }
}
