//! [`Graph`]: launches captured once and launched again with one call, in the same order.
//!
//! ```
//! # use workbook::{backend::{Device, DeviceChoice, LaunchConfig}, kernels};
//! # fn main() -> anyhow::Result<()> {
//! let device = Device::open(DeviceChoice::Sim)?;
//! let reduce = device.load_module(kernels::get("ch3_blocks")?)?.load_function("reduceInterleaved")?;
//! let (g_idata, g_odata) = (device.clone_htod(&[1; 64])?, device.alloc_zeros::<i32>(2)?);
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

use anyhow::{Result, ensure};

use crate::device::cuda;
use crate::device::{Arg, Device, KernelArg, Kind};
use crate::sim::{self, LaunchConfig};

/// What a graph of the simulator does, in order.
pub(crate) type Steps = Vec<Step>;

/// One thing that a stream does.
pub(crate) enum Step {
    Launch {
        module: sim::Module,
        kernel: String,
        config: LaunchConfig,
        /// One cell a parameter, the value in its low bytes.
        cells: Vec<u64>,
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

/// Launches of kernels, `memset_zeros` and `memcpy_dtod`, with their arguments as they were when it was captured
/// (CUDA C++ Programming Guide, "CUDA Graphs"). The buffers that it names must live until its last launch is done.
pub struct Graph<'a> {
    device: &'a Device,
    form: Form,
}

/// Who launches a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Launcher {
    Host,
    Device,
}

enum Form {
    Gpu(cuda::Graph),
    Sim(Steps),
}

impl Device {
    /// Makes a graph of what `work` launches; nothing of it runs before [`Graph::launch`]. An error if `work` does
    /// what no graph can hold: an allocation, a copy from or to the host, waiting, another capture.
    pub fn capture(&self, work: impl FnMut() -> Result<()>) -> Result<Graph<'_>> {
        self.capture_for(Launcher::Host, work)
    }

    /// [`Device::capture`] of a graph that kernels can launch too, from within another graph: its handle is an
    /// argument of theirs. On a GPU alone.
    pub fn capture_for_device(&self, work: impl FnMut() -> Result<()>) -> Result<Graph<'_>> {
        ensure!(matches!(self.kind, Kind::Gpu(_)), "the simulator's kernels launch no graphs; use a GPU");
        self.capture_for(Launcher::Device, work)
    }

    fn capture_for(&self, launcher: Launcher, mut work: impl FnMut() -> Result<()>) -> Result<Graph<'_>> {
        ensure!(
            self.captured.borrow().is_none(),
            "a graph is being captured already; end that capture first"
        );
        self.captured.replace(Some(Steps::new()));
        let worked = match &self.kind {
            Kind::Gpu(gpu) => gpu.capture(launcher, &mut work).map(Some),
            Kind::Sim(_) => work().map(|()| None),
        };
        let steps = self.captured.take().unwrap_or_default();
        let form = worked?.map_or(Form::Sim(steps), Form::Gpu);
        Ok(Graph { device: self, form })
    }
}

impl KernelArg for Graph<'_> {
    /// The handle of a graph of [`Device::capture_for_device`].
    fn arg(&self) -> Arg {
        match &self.form {
            Form::Gpu(graph) => cuda::graph_handle(graph).arg(),
            Form::Sim(_) => 0u64.arg(),
        }
    }
}

impl Graph<'_> {
    /// Launches all of it: on a GPU one call of the driver, on the simulator one step after the other.
    pub fn launch(&self) -> Result<()> {
        self.device.not_captured("a graph")?;
        match &self.form {
            Form::Gpu(graph) => cuda::launch_graph(graph),
            Form::Sim(steps) => steps.iter().try_for_each(|step| self.device.run_step(step)),
        }
    }
}
