//! What work costs: on a GPU and on the CPU a time, with warm-up, repeats, median, minimum and maximum; on
//! the simulator counts.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;

pub use super::cpu::name as cpu_name;
use super::device::{Device, Kind};
use super::simulator::Seen;
use crate::record::Timing;
use crate::record::levels::Level;
use crate::sim::{Counters, Diagnostic};

/// What one case cost: a time where there is a clock, counts on the simulator.
#[derive(Clone, Debug, Default)]
pub struct Measurement {
    pub time: Option<Timing>,
    pub counters: Option<Counters>,
    /// What was launched, level by level; the simulator only.
    pub levels: Vec<Level>,
    /// What the simulator's checks have found.
    pub found: Vec<Diagnostic>,
    /// Blocks of the first grid, where that is not the planned number: a cooperative launch has what fits.
    pub grid: Option<u32>,
}

/// How long the repeats of one case may take together, in microseconds.
pub const GPU_BUDGET: f64 = 0.5e6;
pub const CPU_BUDGET: f64 = 0.1e6;
/// A first run longer than this is taken alone, in microseconds.
const TAKEN_ALONE: f64 = 5e6;

impl Device {
    /// What `work` costs: on a GPU the time between two events around it, on the CPU that of its clock,
    /// repeated, each time after `prepare` (untimed); on the simulator exact counts, from one run.
    ///
    /// # Errors
    /// Those of `prepare` and `work`.
    pub fn measure(
        &self,
        mut prepare: impl FnMut() -> Result<()>,
        mut work: impl FnMut() -> Result<()>,
    ) -> Result<Measurement> {
        self.not_captured("a measurement")?;
        let budget = match &self.kind {
            Kind::Gpu(_) => GPU_BUDGET,
            Kind::Cpu => CPU_BUDGET,
            Kind::Sim(_) => {
                prepare()?;
                self.take_seen();
                work()?;
                return Ok(self.take_seen());
            }
        };
        let time = repeat(budget, || {
            prepare()?;
            Ok(self.time(&mut work)?.unwrap_or_default())
        })?;
        Ok(Measurement { time, ..Default::default() })
    }

    /// Microseconds that `work` takes, once: between two events on a GPU, by the clock on the CPU. None on
    /// the simulator, which does the work and has no clock.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn time(&self, mut work: impl FnMut() -> Result<()>) -> Result<Option<f64>> {
        self.not_captured("a measurement")?;
        match &self.kind {
            Kind::Gpu(gpu) => gpu.time(&mut work).map(Some),
            Kind::Sim(_) => work().map(|()| None),
            Kind::Cpu => {
                let start = Instant::now();
                work()?;
                Ok(Some(microseconds_since(start)))
            }
        }
    }

    /// What the launches since the last call have cost and what the checks have found in them, even where
    /// something stopped them; the simulator only.
    pub fn take_seen(&self) -> Measurement {
        let Kind::Sim(simulator) = &self.kind else { return Measurement::default() };
        let Seen { counters, levels, found } = simulator.take_seen();
        Measurement { counters: Some(counters), levels, found, ..Default::default() }
    }
}

fn microseconds_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}

/// Runs `once` (which returns its microseconds) to warm up, then as often as `budget` microseconds allow, at
/// least 3 and at most 100 times. Caches are warm, except that `once` may have restored its input.
pub fn repeat(budget: f64, mut once: impl FnMut() -> Result<f64>) -> Result<Option<Timing>> {
    let warm_up = once()?;
    if warm_up > TAKEN_ALONE {
        return Ok(Timing::of(vec![warm_up]));
    }
    // The warm-up may hold the loading of the code, so the second run says how many fit.
    let mut samples = vec![once()?];
    let repeats = (budget / samples[0].max(1e-3)).clamp(3.0, 100.0) as usize;
    while samples.len() < repeats {
        samples.push(once()?);
    }
    Ok(Timing::of(samples))
}

/// The sum that `work` finds in a copy of `data`, and its time on this CPU; copying is not timed.
pub fn on_cpu(data: &[i32], mut work: impl FnMut(&mut [i32]) -> i32) -> Result<(i32, Measurement)> {
    let mut copy = data.to_vec();
    let mut sum = 0;
    let time = repeat(CPU_BUDGET, || {
        copy.copy_from_slice(data);
        let start = Instant::now();
        sum = black_box(work(black_box(&mut copy)));
        Ok(microseconds_since(start))
    })?;
    Ok((sum, Measurement { time, ..Default::default() }))
}

/// What `work` computes of floats, and its time on this CPU.
pub fn floats_on_cpu(mut work: impl FnMut() -> f32) -> Result<(f32, Measurement)> {
    let mut result = 0.0;
    let time = repeat(CPU_BUDGET, || {
        let start = Instant::now();
        result = black_box(work());
        Ok(microseconds_since(start))
    })?;
    Ok((result, Measurement { time, ..Default::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(microseconds: f64) -> (u32, u32) {
        let mut runs = 0;
        let timing = repeat(GPU_BUDGET, || {
            runs += 1;
            Ok(microseconds)
        });
        (runs, timing.unwrap().unwrap().repeats)
    }

    #[test]
    fn repeats_fit_the_budget() {
        assert_eq!(runs(10.0), (101, 100), "short: a warm-up and at most 100");
        assert_eq!(runs(0.1e6), (6, 5), "as many as fit");
        assert_eq!(runs(2e6), (4, 3), "long: at least 3");
        assert_eq!(runs(6e6), (1, 1), "very long: the first run is taken alone");
    }
}
