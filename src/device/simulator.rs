//! The simulator as a device: its options, its stream of work, and what its launches have shown.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use anyhow::Result;

use crate::record::levels::{Level, Levels};
use crate::record::{DeviceInfo, DeviceKind};
use crate::sim::observe::Observer;
use crate::sim::{self, Counters, DEFAULT_SYNC_DEPTH, Diagnostic, LaunchConfig};

/// How the simulator runs kernels.
#[derive(Clone, Debug)]
pub struct SimulatorOptions {
    /// The order in which blocks and warps have their turns: 0 is the plain one, any other number a shuffled
    /// one.
    pub schedule: u64,
    /// Whether launches run under the checks. Without them a launch finds only what stops it, and all memory
    /// counts as defined afterwards.
    pub checks: bool,
    /// Instructions that the warps of one launch may execute, child grids included; more is an endless loop.
    /// `None`: the simulator's own limit.
    pub step_limit: Option<u64>,
    /// How many levels of grids may wait for their children (`cudaLimitDevRuntimeSyncDepth`); for device code
    /// of before CUDA 12.
    pub sync_depth: u32,
    /// Whether what kernels print is kept for [`Device::take_printed`](super::Device::take_printed), and does
    /// not go to stderr.
    pub keep_printed: bool,
}

impl Default for SimulatorOptions {
    fn default() -> SimulatorOptions {
        let sync_depth = DEFAULT_SYNC_DEPTH;
        SimulatorOptions { schedule: 0, checks: true, step_limit: None, sync_depth, keep_printed: false }
    }
}

/// One thing that a stream does.
pub enum Step {
    Launch {
        module: sim::Module,
        kernel: String,
        config: LaunchConfig,
        /// One per parameter, the value in its low bytes.
        args: Vec<u64>,
    },
    Zero {
        address: u64,
        bytes: usize,
    },
    Copy {
        from: u64,
        to: u64,
        bytes: usize,
    },
}

/// What launches have shown.
#[derive(Default)]
pub struct Seen {
    pub counters: Counters,
    pub levels: Vec<Level>,
    /// What the checks have found, and what has stopped a launch.
    pub found: Vec<Diagnostic>,
}

/// The simulator, with what its launches have shown since that was taken.
pub struct Simulator {
    simulator: RefCell<sim::Simulator>,
    options: SimulatorOptions,
    seen: RefCell<(Counters, Levels)>,
    found: RefCell<Vec<Diagnostic>>,
    observer: RefCell<Option<Rc<RefCell<dyn Observer>>>>,
    /// While a graph is captured: what has been put into it.
    captured: RefCell<Option<Vec<Step>>>,
}

impl Simulator {
    pub fn new(options: SimulatorOptions) -> Simulator {
        let mut simulator = sim::Simulator::new();
        simulator.set_schedule(options.schedule);
        simulator.set_sync_depth_limit(options.sync_depth);
        if let Some(instructions) = options.step_limit {
            simulator.set_step_limit(instructions);
        }
        Simulator {
            simulator: RefCell::new(simulator),
            options,
            seen: RefCell::default(),
            found: RefCell::default(),
            observer: RefCell::default(),
            captured: RefCell::default(),
        }
    }

    pub fn info(&self) -> DeviceInfo {
        let name = concat!("workbook simulator ", env!("CARGO_PKG_VERSION")).to_string();
        DeviceInfo { kind: DeviceKind::Sim, name, gpu: None, threads: None, cpu: None }
    }

    /// The address of `bytes` bytes of memory, contents undefined.
    pub fn alloc(&self, bytes: usize) -> Result<u64> {
        self.simulator.borrow_mut().alloc(bytes as u64).map_err(found)
    }

    pub fn free(&self, address: u64) {
        self.simulator.borrow_mut().free(address);
    }

    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.simulator.borrow_mut().write(address, bytes).map_err(found)
    }

    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        self.simulator.borrow().read(address, bytes).map_err(found)
    }

    pub fn is_defined(&self, address: u64, bytes: usize) -> bool {
        self.simulator.borrow().is_defined(address, bytes)
    }

    pub fn multiprocessors(&self) -> u32 {
        self.simulator.borrow().properties().multiprocessors
    }

    /// Blocks of `kernel` that the device holds at a time.
    pub fn resident_blocks(&self, module: &sim::Module, kernel: &str, config: &LaunchConfig) -> u32 {
        self.simulator.borrow().resident_blocks(module, kernel, config)
    }

    pub fn set_pending_launch_limit(&self, launches: u64) {
        self.simulator.borrow_mut().set_pending_launch_limit(launches);
    }

    /// From now on `observer` is told what the launches under checks do.
    pub fn observe(&self, observer: Rc<RefCell<dyn Observer>>) {
        self.observer.replace(Some(observer));
    }

    /// What the launches since the last call have shown.
    pub fn take_seen(&self) -> Seen {
        let (counters, levels) = self.seen.take();
        Seen { counters, levels: levels.into_vec(), found: self.found.take() }
    }

    /// What the kernels since the last call have printed, where that is kept.
    pub fn take_printed(&self) -> String {
        self.simulator.borrow_mut().take_printed()
    }

    /// From now on, what is put into the stream is kept for a graph.
    pub fn begin_capture(&self) {
        self.captured.replace(Some(Vec::new()));
    }

    /// What has been captured.
    pub fn end_capture(&self) -> Vec<Step> {
        self.captured.take().unwrap_or_default()
    }

    /// Puts `step` into the stream: it is done at once, or kept while a graph is captured.
    pub fn enqueue(&self, step: Step) -> Result<()> {
        if let Some(steps) = &mut *self.captured.borrow_mut() {
            steps.push(step);
            return Ok(());
        }
        self.run(&step)
    }

    /// Does `step`.
    pub fn run(&self, step: &Step) -> Result<()> {
        match step {
            Step::Launch { module, kernel, config, args } => self.launch(module, kernel, *config, args),
            Step::Zero { address, bytes } => self.write(*address, &vec![0; *bytes]),
            Step::Copy { from, to, bytes } => {
                let mut copy = vec![0; *bytes];
                self.read(*from, &mut copy)?;
                self.write(*to, &copy)
            }
        }
    }

    fn launch(&self, module: &sim::Module, kernel: &str, config: LaunchConfig, args: &[u64]) -> Result<()> {
        let mut simulator = self.simulator.borrow_mut();
        let (seen, all) = (&mut *self.seen.borrow_mut(), &mut *self.found.borrow_mut());
        let ended = if !self.options.checks {
            let ended = simulator.launch_counted(module, kernel, config, args, &mut seen.0);
            ended.inspect_err(|diagnostic| all.push((**diagnostic).clone()))
        } else if let Some(observer) = &*self.observer.borrow() {
            let both = &mut (seen, &mut *observer.borrow_mut());
            simulator.launch_watched(module, kernel, config, args, both, all)
        } else {
            simulator.launch_watched(module, kernel, config, args, seen, all)
        };
        if !self.options.keep_printed {
            // What a kernel prints is no result: stdout belongs to those.
            let _ = write!(std::io::stderr(), "{}", simulator.take_printed());
        }
        ended.map_err(found)
    }
}

/// What the simulator has found, so that the caller can ask an error for its [`Diagnostic`].
#[expect(clippy::boxed_local, reason = "`map_err` hands over what the simulator gives")]
pub fn found(diagnostic: Box<Diagnostic>) -> anyhow::Error {
    anyhow::Error::new(*diagnostic)
}
