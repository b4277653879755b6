//! How short work on a GPU is timed, close to nvbench's way (<https://github.com/NVIDIA/nvbench>): contenders
//! take turns, with a cold cache or a warm one, one call at a time or as the work alone. The book's appendix
//! on timing has the reasons.
//!
//! | measure | what is between the two events |
//! | --- | --- |
//! | one call | a single call from the host, on an idle GPU: what a program waits for, launch included |
//! | the work alone | a graph of many calls, queued after other work: how long the GPU is busy per call |

use anyhow::Result;
use workbook::device::{Buffer, Device, Function, Graph, LaunchConfig, Module, Timing, View};
use workbook::record::Timings;
use workbook::reduction::data;

use super::libraries::Summed;
use super::work::{Copies, FLUSH_BYTES, Work};

/// The times of each of `works` in all three ways, of `samples` each. `chapter` is chapter 7's module.
pub fn timings<T: Summed>(
    device: &Device,
    chapter: &Module,
    works: &[Work<T>],
    copies: &Copies<T>,
    samples: usize,
) -> Result<Vec<Timings>> {
    let flush = Flush::new(device, chapter)?;
    let cold = one_call(device, works, samples, || copies.next())?;
    let warm = one_call(device, works, samples, || copies.first())?;
    let alone = work_alone(device, works, copies, samples, &flush)?;
    let of = |((cold, warm), alone)| Timings { one_call_cold: cold, one_call_warm: warm, work_alone: alone };
    Ok(cold.into_iter().zip(warm).zip(alone).map(of).collect())
}

/// Calls before the first that counts.
const WARM_UP: usize = 3;

/// Times of single calls, in microseconds: `samples` of each of `works`, in turns. With the same `input` each
/// time, the L2 cache has as much of it as it holds.
fn one_call<'a, T: Summed + 'a>(
    device: &Device,
    works: &[Work<T>],
    samples: usize,
    input: impl Fn() -> View<'a, T>,
) -> Result<Vec<Option<Timing>>> {
    alternate(works.len(), samples, |work| {
        let input = input();
        device.synchronize()?;
        device.time(|| works[work].call(&input))
    })
}

/// Calls in a graph, each of which reads `bytes`: 64, and no fewer than 8 where 64 would take long. To start
/// a graph takes some 2.5 µs on an H200, which counts as part of its calls: a few hundredths of a microsecond
/// for each of 64, and for each of fewer less than a thousandth of its time.
fn calls_in_graph(bytes: usize) -> usize {
    // A page's addresses have 32 bits.
    ((1 << 35) / bytes.max(1) as u64).clamp(8, 64) as usize
}

/// Times of the work alone, in microseconds per call: a graph of calls on copies in turns, launched `samples`
/// times, each time after `flush`; `None` for what no graph can hold.
pub fn work_alone<T: Summed>(
    device: &Device,
    works: &[Work<T>],
    copies: &Copies<T>,
    samples: usize,
    flush: &Flush,
) -> Result<Vec<Option<Timing>>> {
    let calls = calls_in_graph(copies.bytes);
    let capture = |work| captured(device, calls, work, copies);
    let graphs = works.iter().map(|work| work.in_graph().then(|| capture(work)).transpose());
    let graphs = graphs.collect::<Result<Vec<_>>>()?;
    alternate(works.len(), samples, |work| {
        let Some(graph) = &graphs[work] else { return Ok(None) };
        flush.run()?;
        Ok(device.time(|| graph.launch())?.map(|time| time / calls as f64))
    })
}

/// A graph of this many calls.
fn captured<'a, T: Summed>(
    device: &'a Device,
    calls: usize,
    work: &'a Work<T>,
    copies: &'a Copies<T>,
) -> Result<Graph<'a>> {
    work.call(&copies.next())?; // excludes one-time initialisation
    device.synchronize()?;
    device.capture(move || (0..calls).try_for_each(|_| work.call(&copies.next())))
}

/// `samples` times of each of `contenders`, in turns, after a warm-up. Each round has an order of its own, so
/// that nobody always comes after the same one.
fn alternate(
    contenders: usize,
    samples: usize,
    mut time: impl FnMut(usize) -> Result<Option<f64>>,
) -> Result<Vec<Option<Timing>>> {
    let mut times = vec![Vec::new(); contenders];
    for sample in 0..WARM_UP + samples {
        let keys = data::numbers(contenders, sample as u64);
        let mut order: Vec<usize> = (0..contenders).collect();
        order.sort_by_key(|&contender| keys[contender]);
        for contender in order {
            let time = time(contender)?;
            times[contender].extend(time.filter(|_| sample >= WARM_UP));
        }
    }
    Ok(times.into_iter().map(Timing::of).collect())
}

/// Work that fills the L2 cache with other data and lasts until the host has launched the next graph.
pub struct Flush<'a> {
    device: &'a Device,
    kernel: Function,
    memory: Buffer<i32>,
    partial: Buffer<i32>,
}

impl<'a> Flush<'a> {
    /// With a kernel of `chapter`, chapter 7's module.
    pub fn new(device: &'a Device, chapter: &Module) -> Result<Self> {
        let kernel = chapter.load_function("reduceVector")?;
        let memory = device.alloc_zeros::<i32>(FLUSH_BYTES / 4)?;
        Ok(Flush { device, kernel, memory, partial: device.alloc_zeros(1056)? })
    }

    /// Starts the work; it does not wait for its end.
    fn run(&self) -> Result<()> {
        let mut launch = self.device.launch_builder(&self.kernel);
        launch.arg(&self.memory).arg(&self.partial).arg(&(self.memory.len() as u32));
        launch.launch(LaunchConfig::new(1056, 512))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_graph_hardly_counts_at_any_size() {
        let start = 2.5;
        let least_call = 0.5;
        let gigabytes_per_second = 4800.0;
        for exponent in 10..=33 {
            let bytes = 1usize << exponent;
            let call = f64::max(least_call, bytes as f64 / gigabytes_per_second / 1e3);
            let share = start / calls_in_graph(bytes) as f64;
            assert!(share < 0.04 || share < 0.001 * call, "{bytes} bytes: {share} of {call} microseconds");
        }
    }
}
