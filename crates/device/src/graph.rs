//! [`Graph`]: launches captured once and launched again with one call, in the same order.
//!
//! ```
//! # use device::{Device, DeviceChoice, LaunchConfig, Module};
//! # const PTX: &str = include_str!("../../../kernels/prebuilt/ch3_blocks.ptx");
//! # fn main() -> anyhow::Result<()> {
//! let device = Device::open(DeviceChoice::Sim)?;
//! let reduce = Module::of_ptx("ch3_blocks", PTX)?.load_function("reduceInterleaved")?;
//! let g_idata = device.clone_htod(&[1; 64])?;
//! let g_odata = device.alloc_zeros::<i32>(2)?;
//! let graph = device.capture(|| {
//!     let mut launch = device.launch_builder(&reduce);
//!     launch.arg(&g_idata).arg(&g_odata).arg(&64u32);
//!     launch.launch(LaunchConfig::new(2, 32))
//! })?;
//! assert_eq!(device.clone_dtoh(&g_odata)?, [0, 0], "nothing has run");
//! graph.launch()?;
//! assert_eq!(device.clone_dtoh(&g_odata)?, [32, 32]);
//! # Ok(())
//! # }
//! ```
//!
//! What is captured cannot be dropped before the graph:
//!
//! ```compile_fail,E0505
//! # use device::Device;
//! # fn replay(device: &Device) -> anyhow::Result<()> {
//! let from = device.clone_htod(&[1; 64])?;
//! let to = device.alloc::<i32>(64)?;
//! let graph = device.capture(|| device.memcpy_dtod(&from, &to))?;
//! drop(to);
//! graph.launch()
//! # }
//! ```

use std::any::Any;
use std::marker::PhantomData;
use std::rc::Rc;

use anyhow::{Result, anyhow, bail, ensure};

use super::cuda;
use super::device::{Device, Kind, OTHER_DEVICE};
use super::launch::{Arg, KernelArg};
use super::simulator::Step;

/// Launches of kernels, `memset_zeros` and `memcpy_dtod`, with their arguments as they were when it was
/// captured (CUDA C++ Programming Guide, "CUDA Graphs"). It holds what they use.
pub struct Graph<'a> {
    device: &'a Device,
    form: Form,
    /// What it uses, since the work that was captured may own it, and drop it. Dropped after `form`.
    _kept: Vec<Rc<dyn Any>>,
    /// What that work borrows: a library may use it without telling the device.
    borrowed: PhantomData<&'a ()>,
}

enum Form {
    Gpu(Rc<cuda::Graph>),
    Sim(Vec<Step>),
}

impl Device {
    /// Makes a graph of what `work` launches; nothing of it runs before [`Graph::launch`].
    ///
    /// # Errors
    /// Those of `work`; and what no graph can hold: an allocation, a copy from or to the host, waiting,
    /// another capture.
    pub fn capture<'a>(&'a self, work: impl FnMut() -> Result<()> + 'a) -> Result<Graph<'a>> {
        self.capture_for(false, work)
    }

    /// [`Device::capture`] of a graph that kernels can launch too, from within another graph: its handle is
    /// an argument of theirs.
    ///
    /// # Errors
    /// Of [`Device::capture`]; and the simulator, whose kernels launch no graphs.
    pub fn capture_for_device<'a>(&'a self, work: impl FnMut() -> Result<()> + 'a) -> Result<Graph<'a>> {
        ensure!(matches!(self.kind, Kind::Gpu(_)), "the simulator's kernels launch no graphs; use a GPU");
        self.capture_for(true, work)
    }

    /// [`Device::capture`] of a loop: one launch of the graph does `work` once, and again for as long as its
    /// last kernel asks for it, by `cudaGraphSetConditional` and the handle that `work` is given, an argument
    /// (CUDA C++ Programming Guide, "Conditional Graph Nodes").
    ///
    /// # Errors
    /// Of [`Device::capture`]; and the simulator, whose graphs have no loops.
    pub fn capture_while<'a>(&'a self, mut work: impl FnMut(u64) -> Result<()> + 'a) -> Result<Graph<'a>> {
        let Kind::Gpu(gpu) = &self.kind else { bail!("the simulator's graphs have no loops; use a GPU") };
        self.capture_form(|| gpu.capture_while(&mut work).map(Rc::new).map(Form::Gpu))
    }

    fn capture_for(&self, by_kernels: bool, mut work: impl FnMut() -> Result<()>) -> Result<Graph<'_>> {
        self.capture_form(|| match &self.kind {
            Kind::Gpu(gpu) => gpu.capture(by_kernels, &mut work).map(Rc::new).map(Form::Gpu),
            Kind::Sim(simulator) => {
                simulator.captured.replace(Some(Vec::new()));
                let worked = work();
                let steps = simulator.captured.take().unwrap_or_default();
                worked.map(|()| Form::Sim(steps))
            }
            Kind::Cpu => Err(anyhow!("the CPU launches no kernels; use a GPU or the simulator")),
        })
    }

    fn capture_form(&self, capture: impl FnOnce() -> Result<Form>) -> Result<Graph<'_>> {
        ensure!(!self.is_capturing(), "a graph is being captured already; end that capture first");
        self.kept.replace(Some(Vec::new()));
        let form = capture();
        let kept = self.kept.take().unwrap_or_default();
        Ok(Graph { device: self, form: form?, _kept: kept, borrowed: PhantomData })
    }

    /// Gives a share of `what` to the graph that is being captured, if one is: work in it uses that.
    pub(super) fn keep(&self, what: &Rc<impl Any>) {
        if let Some(kept) = &mut *self.kept.borrow_mut() {
            kept.push(what.clone());
        }
    }
}

impl<'a> KernelArg<'a> for &'a Graph<'_> {
    /// The handle of a graph of [`Device::capture_for_device`].
    fn arg(self) -> Arg<'a> {
        match (&self.form, &self.device.kind) {
            (Form::Gpu(graph), Kind::Gpu(gpu)) => Arg::graph(gpu.graph_handle(graph), graph),
            _ => 0u64.arg(),
        }
    }
}

impl Graph<'_> {
    /// Launches all of it: on a GPU one call of the driver, on the simulator one step after the other.
    ///
    /// # Errors
    /// What its launches find.
    pub fn launch(&self) -> Result<()> {
        self.device.refuse_in_capture("a graph")?;
        match (&self.form, &self.device.kind) {
            (Form::Gpu(graph), Kind::Gpu(gpu)) => gpu.launch_graph(graph),
            (Form::Sim(steps), Kind::Sim(simulator)) => steps.iter().try_for_each(|step| simulator.run(step)),
            _ => bail!(OTHER_DEVICE),
        }
    }
}
