//! Launches on several devices at the same time, and on one where they overlap.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use anyhow::{Result, ensure};
use ptx_simulator::{self as sim, Together};

use super::device::Kind;
use super::launch::Prepared;
use super::module::Code;

/// Starts `launches` at the same time, each on a device of its own out of [`super::Device::open_some`]: on
/// GPUs one after the other, without waiting; on the simulator their blocks have their turns, all under the
/// checks.
///
/// # Errors
/// Of [`Prepared::launch`]; and on the simulator, launches from modules that were loaded apart.
pub fn launch_together(launches: &[Prepared]) -> Result<()> {
    // The first one last: what the others do in its memory takes them longer.
    launch(launches, Together::OnDevices, || launches.iter().rev().try_for_each(Prepared::launch))
}

/// Starts `launches` in their order on one device. Each but the first is a programmatic dependent launch: it
/// may start as soon as all blocks of the one in front of it have allowed that, and its kernel waits for the
/// end of that one itself (CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization").
/// On the simulator it starts at that end, and what it does without having waited is a race.
///
/// # Errors
/// Of [`launch_together`].
pub fn launch_overlapping(launches: &[Prepared]) -> Result<()> {
    launch(launches, Together::Dependent, || {
        let (first, rest) = launches.split_at(1.min(launches.len()));
        first.iter().try_for_each(Prepared::launch)?;
        rest.iter().try_for_each(Prepared::launch_dependent)
    })
}

/// Starts `launches` by `on_gpus`, or on the simulator.
fn launch(launches: &[Prepared], how: Together, on_gpus: impl FnOnce() -> Result<()>) -> Result<()> {
    let Some(Prepared { device, function, .. }) = launches.first() else { return Ok(()) };
    let (Kind::Sim(simulator), Code::Sim(module)) = (&device.kind, &function.code) else {
        return on_gpus();
    };
    let alike = |one: &Prepared| matches!(&one.function.code, Code::Sim(other) if other.is(module));
    ensure!(launches.iter().all(alike), "launches that run together come from one module of the simulator");
    let all: Vec<_> = launches
        .iter()
        .map(|one| sim::Launch { kernel: &one.function.name, config: one.config, args: &one.values })
        .collect();
    simulator.launch_together(module, &all, how)
}

/// Launches that threads of their own start: one per device, but for the first, which the caller's thread
/// starts. A thread that waits for its turn does nothing else, and keeps a core busy: waking it would take
/// longer than the launch that it saves. On the simulator there are none.
pub struct Launchers<'a> {
    launches: &'a [Prepared<'a>],
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    /// How often the launches have been asked for.
    asked: AtomicU64,
    /// How many launches the threads have made.
    made: AtomicU64,
    ended: AtomicBool,
    failed: Mutex<Option<anyhow::Error>>,
}

impl<'a> Launchers<'a> {
    /// Starts the threads.
    pub fn new(launches: &'a [Prepared<'a>]) -> Launchers<'a> {
        let shared = Arc::new(Shared::default());
        let mut threads = Vec::new();
        for Prepared { device, function, config, how, values, .. } in launches.iter().skip(1) {
            if let (Kind::Gpu(gpu), Code::Gpu(function)) = (&device.kind, &function.code) {
                // SAFETY: as in `Prepared::launch`; it is asked for by `Launchers::launch` alone, while
                // `launches` is there.
                let launch = unsafe { gpu.launcher(function, *config, values.clone(), *how) };
                let shared = shared.clone();
                threads.push(std::thread::spawn(move || shared.launch_when_asked(launch)));
            }
        }
        Launchers { launches, shared, threads }
    }

    /// Starts all launches, and returns when all are made.
    ///
    /// # Errors
    /// Of [`launch_together`].
    pub fn launch(&self) -> Result<()> {
        if self.threads.is_empty() {
            return launch_together(self.launches);
        }
        let asked = 1 + self.shared.asked.fetch_add(1, Ordering::Release);
        self.launches[0].launch()?;
        while self.shared.made.load(Ordering::Acquire) < asked * self.threads.len() as u64 {
            std::hint::spin_loop();
        }
        self.shared.failed.lock().ok().and_then(|mut failed| failed.take()).map_or(Ok(()), Err)
    }
}

impl Shared {
    fn launch_when_asked(&self, launch: impl Fn() -> Result<()>) {
        let mut done = 0;
        while !self.ended.load(Ordering::Relaxed) {
            if self.asked.load(Ordering::Acquire) == done {
                std::hint::spin_loop();
                continue;
            }
            done += 1;
            if let (Err(error), Ok(mut failed)) = (launch(), self.failed.lock()) {
                *failed = Some(error);
            }
            self.made.fetch_add(1, Ordering::Release);
        }
    }
}

impl Drop for Launchers<'_> {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join(); // it has nothing to say
        }
    }
}
