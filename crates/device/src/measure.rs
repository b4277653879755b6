//! How a time is taken: warm-up, repeats, median with minimum and maximum; and what else a measurement holds.

use anyhow::Result;
use ptx_simulator::{Counters, Diagnostic, Orders};
use serde::{Deserialize, Serialize};

use crate::levels::Level;
use crate::timing::Timing;

/// What one case cost: a time where there is a clock, counts on the simulator.
#[derive(Clone, Debug, Default)]
pub struct Measurement {
    /// Of the repeats; where there is a clock.
    pub time: Option<Timing>,
    /// What the launches did; the simulator only.
    pub counters: Option<Counters>,
    /// What was launched, level by level; the simulator only.
    pub levels: Vec<Level>,
    /// What the simulator's checks have found.
    pub found: Vec<Diagnostic>,
    /// Which orders of each launch were tried; on the simulator, where that was asked for.
    pub orders: Vec<Orders>,
    /// Blocks of the first grid, where that is not the planned number: a cooperative launch has what fits.
    pub grid: Option<u32>,
}

/// A limit of the device, as the driver reports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// `max_threads_per_block`: the driver's name for it.
    pub name: String,
    /// In the unit that the driver has for it.
    pub value: i64,
}

/// How much time measurements on a GPU may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// What the book's records take.
    #[default]
    Full,
    /// What a reader waits for: a tenth of the samples, or fewer.
    Brief,
}

impl Effort {
    /// How long the repeats of one case may take together, in microseconds.
    pub fn budget(self) -> f64 {
        match self {
            Effort::Full => 0.5e6,
            Effort::Brief => 0.025e6,
        }
    }

    /// How many of `full` samples are taken: at least 5, if there are so many.
    pub fn samples(self, full: usize) -> usize {
        match self {
            Effort::Full => full,
            Effort::Brief => (full / 10).max(full.min(5)),
        }
    }
}

/// How long the repeats of one case may take together on the CPU, in microseconds.
pub const CPU_BUDGET: f64 = 0.1e6;
/// A first run that takes so many times the budget is taken alone.
const TAKEN_ALONE: f64 = 10.0;

/// Runs `once` (which returns its microseconds) to warm up, then as often as `budget` microseconds allow, at
/// least 3 and at most 100 times. Caches are warm, except that `once` may have restored its input.
pub fn repeat(budget: f64, mut once: impl FnMut() -> Result<f64>) -> Result<Option<Timing>> {
    let warm_up = once()?;
    if warm_up > TAKEN_ALONE * budget {
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

/// Bytes of memory that a program may still have here; `None` where nothing says so. On Linux that is the
/// least of what the machine and the control group leave (manual pages proc_meminfo(5) and cgroups(7)).
pub fn free_memory() -> Option<u64> {
    system::free_memory()
}

/// Threads that share the work of a parallel iterator.
pub fn cpu_threads() -> usize {
    rayon::current_num_threads()
}

/// The CPU's model name where the system says it.
pub fn cpu_name() -> String {
    system::cpu_name().unwrap_or_else(|| format!("CPU ({})", std::env::consts::ARCH))
}

/// What Windows and macOS say of the machine.
#[cfg(any(windows, target_os = "macos"))]
mod system {
    use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

    pub fn free_memory() -> Option<u64> {
        let memory = MemoryRefreshKind::nothing().with_ram();
        let system = System::new_with_specifics(RefreshKind::nothing().with_memory(memory));
        // 0 is what it says where the system doesn't.
        Some(system.available_memory()).filter(|&bytes| bytes > 0)
    }

    pub fn cpu_name() -> Option<String> {
        let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
        let name = system.cpus().first()?.brand().trim().to_string();
        Some(name).filter(|name| !name.is_empty())
    }
}

/// What Linux says of the machine, in files; elsewhere there are none.
#[cfg(not(any(windows, target_os = "macos")))]
mod system {
    pub fn free_memory() -> Option<u64> {
        let read = |path| std::fs::read_to_string(path).ok();
        let of_machine = read("/proc/meminfo").and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
            line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
        });
        let of_group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
        of_machine.into_iter().chain(of_group).min()
    }

    pub fn cpu_name() -> Option<String> {
        let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        model.map(|(_, name)| name.trim().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(effort: Effort, microseconds: f64) -> (u32, u32) {
        let mut runs = 0;
        let timing = repeat(effort.budget(), || {
            runs += 1;
            Ok(microseconds)
        });
        (runs, timing.unwrap().unwrap().repeats)
    }

    #[test]
    fn repeats_fit_the_budget() {
        assert_eq!(runs(Effort::Full, 10.0), (101, 100), "short: a warm-up and at most 100");
        assert_eq!(runs(Effort::Full, 0.1e6), (6, 5), "as many as fit");
        assert_eq!(runs(Effort::Full, 2e6), (4, 3), "long: at least 3");
        assert_eq!(runs(Effort::Full, 6e6), (1, 1), "very long: the first run is taken alone");
        assert_eq!(runs(Effort::Brief, 5e3), (6, 5), "a brief look: as many as fit");
        assert_eq!(runs(Effort::Brief, 0.3e6), (1, 1), "a brief look: the first run is taken alone");
    }

    /// A large `--n` is refused in advance only where this is known.
    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos", windows))]
    fn every_system_says_how_much_memory_is_free() {
        let free = free_memory().expect("the system says how much memory is free");
        assert!((1 << 20..1 << 50).contains(&free), "{free} bytes");
    }

    /// On Linux, processors other than x86's have no name in /proc/cpuinfo.
    #[test]
    #[cfg(any(all(target_os = "linux", target_arch = "x86_64"), target_os = "macos", windows))]
    fn every_system_names_its_cpu() {
        assert_ne!(cpu_name(), format!("CPU ({})", std::env::consts::ARCH));
    }
}
