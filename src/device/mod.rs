//! [`Device`]: a GPU or the simulator behind one set of verbs, named as cudarc names them.
//!
//! ```no_run
//! # use workbook::{backend::{Device, DeviceChoice, LaunchConfig}, kernels};
//! # fn main() -> anyhow::Result<()> {
//! # let (data, grid, block) = (vec![1; 1000], 2, 512);
//! let device = Device::open(DeviceChoice::Auto)?;
//! let reduce = device.load_module(kernels::get("ch3_blocks")?)?.load_function("reduceInterleaved")?;
//! let g_idata = device.clone_htod(&data)?;
//! let g_odata = device.alloc_zeros::<i32>(grid)?;
//! let mut launch = device.launch_builder(&reduce);
//! launch.arg(&g_idata).arg(&g_odata).arg(&(data.len() as u32));
//! launch.launch(LaunchConfig::new(grid as u32, block))?;
//! let partial_sums = device.clone_dtoh(&g_odata)?;
//! # Ok(())
//! # }
//! ```
//!
//! `backend/launch.rs` puts launches together and checks them, before they reach a device: the simulator and a GPU refuse
//! the same calls with the same words.

mod cuda;
mod graph;
mod launch;
pub mod measure;

use std::cell::RefCell;
use std::io::Write;
use std::marker::PhantomData;
use std::ops::RangeFrom;
use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};
use bytemuck::Pod;

use crate::build::kernels::Build;
use crate::device::graph::{Step, Steps};
use crate::device::measure::Measurement;
use crate::record::levels::Levels;
use crate::record::{DeviceInfo, DeviceKind, Limit};
use crate::sim::{self, Counters, Simulator};

pub use crate::device::cuda::{Fault, NoGpu};
pub use crate::device::graph::Graph;
pub use crate::sim::LaunchConfig;
pub use launch::{Arg, KernelArg, LaunchArgs, Prepared};

/// Threads in a block, at most (CUDA programming guide, table of technical specifications).
pub const MAX_BLOCK: u32 = 1024;
/// Blocks in a grid along x, at most; along y and z it is 65,535.
pub const MAX_GRID: u32 = i32::MAX as u32;
/// Shared memory of a block that a launch may ask for without opting in to more, in bytes.
pub const MAX_SHARED_MEM_BYTES: u32 = 48 * 1024;

/// What the reader asked for; `Auto` is a GPU if one is usable, else the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceChoice {
    Auto,
    Gpu,
    Sim,
}

/// A GPU or the simulator.
pub struct Device {
    pub(crate) kind: Kind,
    /// Why [`DeviceChoice::Auto`] took the simulator.
    no_gpu: Option<NoGpu>,
    /// What the launches since the last [`Device::measure`] began have shown; the simulator only.
    seen: RefCell<(Counters, Levels)>,
    /// What the checks of the launches since then have found.
    found: RefCell<Vec<sim::Diagnostic>>,
    /// While [`Device::capture`] runs: what has been put into the graph; on a GPU the driver keeps it.
    pub(crate) captured: RefCell<Option<Steps>>,
}

pub(crate) enum Kind {
    Gpu(cuda::Gpu),
    Sim(Rc<RefCell<Simulator>>),
}

/// `len` elements of `T` in device memory, given back when dropped. Kernels write through a shared reference,
/// as on any device.
pub struct Buffer<T> {
    memory: Memory,
    /// Of the first element, on its device.
    address: u64,
    len: usize,
    element: PhantomData<T>,
}

enum Memory {
    Gpu(RefCell<cuda::Memory>),
    Sim { simulator: Rc<RefCell<Simulator>>, address: u64 },
}

/// A chapter's kernels on a device.
pub struct Module {
    name: String,
    ptx: sim::Module,
    gpu: Option<cuda::Module>,
}

/// One kernel.
pub struct Function {
    name: String,
    params: Vec<sim::Param>,
    code: Code,
}

enum Code {
    Gpu(cuda::Function),
    Sim(sim::Module),
}

impl Device {
    /// Opens the device that `choice` names; the error of [`DeviceChoice::Gpu`] is a [`NoGpu`].
    pub fn open(choice: DeviceChoice) -> Result<Device> {
        let (kind, no_gpu) = match choice {
            DeviceChoice::Sim => (Kind::Sim(Default::default()), None),
            DeviceChoice::Gpu => (Kind::Gpu(cuda::Gpu::open()?), None),
            DeviceChoice::Auto => match cuda::Gpu::open() {
                Ok(gpu) => (Kind::Gpu(gpu), None),
                Err(no_gpu) => (Kind::Sim(Default::default()), Some(no_gpu)),
            },
        };
        Ok(Device {
            kind,
            no_gpu,
            seen: RefCell::default(),
            found: RefCell::default(),
            captured: RefCell::default(),
        })
    }

    /// Name and properties, for the record.
    pub fn info(&self) -> DeviceInfo {
        match &self.kind {
            Kind::Gpu(gpu) => gpu.info(),
            Kind::Sim(_) => DeviceInfo {
                kind: DeviceKind::Sim,
                name: concat!("workbook simulator ", env!("CARGO_PKG_VERSION")).to_string(),
                gpu: None,
                threads: None,
                cpu: None,
            },
        }
    }

    /// The limits of a GPU, as the driver reports them; none of the simulator.
    pub fn limits(&self) -> Vec<Limit> {
        match &self.kind {
            Kind::Gpu(gpu) => gpu.limits(),
            Kind::Sim(_) => Vec::new(),
        }
    }

    /// Why [`DeviceChoice::Auto`] took the simulator, if it did.
    pub fn no_gpu(&self) -> Option<&NoGpu> {
        self.no_gpu.as_ref()
    }

    /// Makes the kernels of `build` ready to launch: the fatbin on a GPU, the PTX on the simulator.
    pub fn load_module(&self, build: &Build) -> Result<Module> {
        self.load_code(build.stem, build.ptx, build.fatbin)
    }

    /// [`Device::load_module`] for code that is no chapter's; `name` stands in messages.
    pub fn load_code(&self, name: &str, ptx: &str, fatbin: &[u8]) -> Result<Module> {
        let ptx = sim::Module::parse(ptx, name).map_err(found)?;
        let gpu = match &self.kind {
            Kind::Gpu(gpu) => Some(gpu.load_module(fatbin)?),
            Kind::Sim(_) => None,
        };
        Ok(Module { name: name.to_string(), ptx, gpu })
    }

    /// Machine code of PTX text by the driver's assembler with its optimiser off; nothing on the simulator, which has none.
    pub fn assemble_unoptimised(&self, ptx: &str) -> Result<Vec<u8>> {
        match &self.kind {
            Kind::Gpu(gpu) => gpu.assemble_unoptimised(ptx),
            Kind::Sim(_) => Ok(Vec::new()),
        }
    }

    /// `len` elements, contents undefined.
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        self.not_captured("an allocation")?;
        let bytes = len.checked_mul(size_of::<T>()).context("the buffer is larger than the address space")?;
        let (memory, address) = match &self.kind {
            Kind::Gpu(gpu) => {
                let memory = gpu.alloc(bytes)?;
                let address = gpu.address(&memory);
                (Memory::Gpu(RefCell::new(memory)), address)
            }
            Kind::Sim(simulator) => {
                let address = simulator.borrow_mut().alloc(bytes as u64).map_err(found)?;
                (Memory::Sim { simulator: simulator.clone(), address }, address)
            }
        };
        Ok(Buffer { memory, address, len, element: PhantomData })
    }

    /// `len` elements, all bytes 0.
    pub fn alloc_zeros<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        let buffer = self.alloc(len)?;
        self.memset_zeros(&buffer)?;
        Ok(buffer)
    }

    /// Sets all bytes of `buffer` to 0.
    pub fn memset_zeros<T: Pod>(&self, buffer: &Buffer<T>) -> Result<()> {
        match (&self.kind, &buffer.memory) {
            (Kind::Gpu(gpu), Memory::Gpu(memory)) => gpu.memset_zeros(&mut memory.borrow_mut()),
            (Kind::Sim(_), Memory::Sim { address, .. }) => {
                self.step(Step::Zero { address: *address, bytes: buffer.num_bytes() })
            }
            _ => bail!(OTHER_DEVICE),
        }
    }

    /// A new buffer with a copy of `data`.
    pub fn clone_htod<T: Pod>(&self, data: &[T]) -> Result<Buffer<T>> {
        let buffer = self.alloc(data.len())?;
        self.memcpy_htod(data, &buffer)?;
        Ok(buffer)
    }

    /// Copies `data` into `buffer`, which has the same length.
    pub fn memcpy_htod<T: Pod>(&self, data: &[T], buffer: &Buffer<T>) -> Result<()> {
        self.not_captured("a copy from the host")?;
        same_length(data.len(), buffer.len)?;
        let bytes = bytemuck::cast_slice(data);
        match (&self.kind, &buffer.memory) {
            (Kind::Gpu(gpu), Memory::Gpu(memory)) => gpu.memcpy_htod(bytes, &mut memory.borrow_mut()),
            (Kind::Sim(simulator), Memory::Sim { address, .. }) => {
                simulator.borrow_mut().write(*address, bytes).map_err(found)
            }
            _ => bail!(OTHER_DEVICE),
        }
    }

    /// Copies `from` into `to`, another buffer of the same length.
    pub fn memcpy_dtod<T: Pod>(&self, from: &Buffer<T>, to: &Buffer<T>) -> Result<()> {
        same_length(from.len, to.len)?;
        match (&self.kind, &from.memory, &to.memory) {
            (Kind::Gpu(gpu), Memory::Gpu(from), Memory::Gpu(to)) => {
                gpu.memcpy_dtod(&from.borrow(), &mut to.borrow_mut())
            }
            (Kind::Sim(_), Memory::Sim { address: source, .. }, Memory::Sim { address, .. }) => {
                self.step(Step::Copy { from: *source, to: *address, bytes: from.num_bytes() })
            }
            _ => bail!(OTHER_DEVICE),
        }
    }

    /// The contents of `buffer`, once all work before is done.
    pub fn clone_dtoh<T: Pod>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        self.not_captured("a copy to the host")?;
        let mut data = vec![T::zeroed(); buffer.len];
        let bytes = bytemuck::cast_slice_mut(&mut data);
        match (&self.kind, &buffer.memory) {
            (Kind::Gpu(gpu), Memory::Gpu(memory)) => gpu.memcpy_dtoh(&memory.borrow(), bytes)?,
            (Kind::Sim(simulator), Memory::Sim { address, .. }) => {
                simulator.borrow().read(*address, bytes).map_err(found)?;
            }
            _ => bail!(OTHER_DEVICE),
        }
        Ok(data)
    }

    /// Begins a launch of `function`: `.arg(&…)` for each parameter in order, then `.launch(config)`.
    pub fn launch_builder<'a>(&'a self, function: &'a Function) -> LaunchArgs<'a> {
        LaunchArgs::new(self, function)
    }

    /// Blocks of `function`, in the block of `config`, that the device holds at a time: the largest grid of a
    /// cooperative launch. The simulator holds as many as an H200, registers apart.
    pub fn resident_blocks(&self, function: &Function, config: LaunchConfig) -> Result<u32> {
        match (&self.kind, &function.code) {
            (Kind::Gpu(gpu), Code::Gpu(code)) => {
                let (x, y, z) = config.block_dim;
                gpu.resident_blocks(code, x * y * z, config.shared_mem_bytes)
            }
            (Kind::Sim(sim), Code::Sim(module)) => {
                Ok(sim.borrow().resident_blocks(module, &function.name, &config))
            }
            _ => bail!(OTHER_DEVICE),
        }
    }

    /// Waits for all work. A kernel that went wrong on a GPU is reported here, or at the next copy to the host.
    pub fn synchronize(&self) -> Result<()> {
        self.not_captured("waiting")?;
        match &self.kind {
            Kind::Gpu(gpu) => gpu.synchronize(),
            Kind::Sim(_) => Ok(()),
        }
    }

    /// How many launches made by device code may be pending at a time
    /// (`cudaLimitDevRuntimePendingLaunchCount`); 2,048 unless set. To be called before the first launch that
    /// needs more: a launch above the limit does not happen, and the host is not told.
    pub fn set_pending_launch_limit(&self, launches: u64) -> Result<()> {
        self.not_captured("a limit of the device")?;
        match &self.kind {
            Kind::Gpu(gpu) => gpu.set_pending_launch_limit(launches),
            Kind::Sim(simulator) => {
                simulator.borrow_mut().set_pending_launch_limit(launches);
                Ok(())
            }
        }
    }

    /// What `work` costs: on a GPU the time between two events around it, repeated, each time after `prepare`
    /// (untimed); on the simulator exact counts, from one run.
    pub fn measure(
        &self,
        mut prepare: impl FnMut() -> Result<()>,
        mut work: impl FnMut() -> Result<()>,
    ) -> Result<Measurement> {
        self.not_captured("a measurement")?;
        match &self.kind {
            Kind::Gpu(gpu) => {
                let time = measure::repeat(measure::GPU_BUDGET, || {
                    prepare()?;
                    gpu.time(&mut work)
                })?;
                Ok(Measurement { time, ..Default::default() })
            }
            Kind::Sim(_) => {
                prepare()?;
                self.seen.take();
                self.found.take();
                work()?;
                let (counters, levels) = self.seen.take();
                let (levels, found) = (levels.into_vec(), self.found.take());
                Ok(Measurement { counters: Some(counters), levels, found, ..Default::default() })
            }
        }
    }

    /// Microseconds between two events around `work`, once; none on the simulator, which does it and has no clock.
    pub fn time(&self, mut work: impl FnMut() -> Result<()>) -> Result<Option<f64>> {
        self.not_captured("a measurement")?;
        match &self.kind {
            Kind::Gpu(gpu) => gpu.time(&mut work).map(Some),
            Kind::Sim(_) => work().map(|()| None),
        }
    }

    /// The stream of all work, as the driver and the CUDA runtime name it, and whether there is one.
    pub(crate) fn raw_stream(&self) -> Option<*mut std::ffi::c_void> {
        match &self.kind {
            Kind::Gpu(gpu) => Some(gpu.raw_stream()),
            Kind::Sim(_) => None,
        }
    }

    /// Does `step` on the simulator; while a graph is captured, keeps it for the graph.
    pub(crate) fn step(&self, step: Step) -> Result<()> {
        if let Some(steps) = &mut *self.captured.borrow_mut() {
            steps.push(step);
            return Ok(());
        }
        self.run_step(&step)
    }

    /// Does `step` on the simulator.
    pub(crate) fn run_step(&self, step: &Step) -> Result<()> {
        let Kind::Sim(simulator) = &self.kind else { bail!(OTHER_DEVICE) };
        let mut simulator = simulator.borrow_mut();
        match step {
            Step::Launch { module, kernel, config, cells } => {
                let seen = &mut *self.seen.borrow_mut();
                let all = &mut *self.found.borrow_mut();
                let ended = simulator.launch_watched(module, kernel, *config, cells, seen, all);
                // What the kernel prints is no result: stdout belongs to those.
                let _ = write!(std::io::stderr(), "{}", simulator.take_printed());
                ended.map_err(found)
            }
            Step::Zero { address, bytes } => simulator.write(*address, &vec![0; *bytes]).map_err(found),
            Step::Copy { from, to, bytes } => {
                let mut copy = vec![0; *bytes];
                simulator.read(*from, &mut copy).map_err(found)?;
                simulator.write(*to, &copy).map_err(found)
            }
        }
    }

    /// An error while a graph is captured: `what` cannot be part of one.
    pub(crate) fn not_captured(&self, what: &str) -> Result<()> {
        ensure!(
            self.captured.borrow().is_none(),
            "{what} cannot be part of a graph, which holds launches, memset_zeros and memcpy_dtod; do it before \
             Device::capture"
        );
        Ok(())
    }
}

const OTHER_DEVICE: &str = "the buffer or kernel belongs to another device";

/// What the simulator has found, so that the caller can ask an error for its [`sim::Diagnostic`].
#[expect(clippy::boxed_local, reason = "`map_err` hands over what the simulator gives")]
fn found(diagnostic: Box<sim::Diagnostic>) -> anyhow::Error {
    anyhow::Error::new(*diagnostic)
}

fn same_length(from: usize, to: usize) -> Result<()> {
    ensure!(from == to, "a copy of {from} elements into a buffer of {to}: the lengths must be the same");
    Ok(())
}

impl<T> Buffer<T> {
    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn num_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The elements from `start` on, as the argument of a launch. A start behind the end gives the end.
    pub fn slice(&self, start: RangeFrom<usize>) -> View<'_, T> {
        View { buffer: self, start: start.start.min(self.len) }
    }
}

/// The rest of a [`Buffer`], from some element on.
pub struct View<'a, T> {
    buffer: &'a Buffer<T>,
    start: usize,
}

impl<T> View<'_, T> {
    /// Elements from its start to the end of the buffer.
    pub fn len(&self) -> usize {
        self.buffer.len - self.start
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The address of its first element, on the buffer's device.
    pub(crate) fn address(&self) -> u64 {
        self.buffer.address + (self.start * size_of::<T>()) as u64
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Memory::Sim { simulator, address } = self {
            simulator.borrow_mut().free(*address);
        }
    }
}

impl Module {
    /// The names of its kernels.
    pub fn kernels(&self) -> &[String] {
        self.ptx.kernels()
    }

    /// The kernel called `name`; the error says which there are.
    pub fn load_function(&self, name: &str) -> Result<Function> {
        let Some(params) = self.ptx.params(name) else {
            let kernels = self.ptx.kernels().join(", ");
            bail!("{} has no kernel named {name}; there are: {kernels}", self.name);
        };
        let code = match &self.gpu {
            Some(module) => Code::Gpu(cuda::load_function(module, name)?),
            None => Code::Sim(self.ptx.clone()),
        };
        Ok(Function { name: name.to_string(), params: params.to_vec(), code })
    }
}
