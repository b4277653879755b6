//! [`Device`]: a GPU, the simulator or the CPU, opened; its name, its limits, and what work costs there.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use ptx_simulator::Counters;
use ptx_simulator::trace::Trace;

use super::cuda;
use super::fault::NoGpu;
use super::measure::{self, Effort, Limit, Measurement};
use super::simulator::{Simulator, SimulatorOptions};
use crate::info::{DeviceInfo, DeviceKind};

/// What the reader asked for; `Auto` is a GPU if one is usable, else the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[expect(missing_docs, reason = "clap would show them, and the option says it")]
pub enum DeviceChoice {
    Auto,
    Gpu,
    Sim,
}

/// Whether each of several devices reaches the memory of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peers {
    /// Where the hardware lets it.
    Connected,
    /// As if no GPU could (`--no-peers`).
    Apart,
}

/// A GPU or the simulator, on which kernels run; or the CPU, which has a name and runs no kernels.
pub struct Device {
    pub(super) kind: Kind,
    /// Why [`DeviceChoice::Auto`] took the simulator, if it did.
    pub no_gpu: Option<NoGpu>,
    /// On the first of several devices: why they cannot reach each other's memory; `None` if they can.
    pub no_peers: Option<String>,
    /// On the first of several devices: why atomics on one are not atomic in the memory of another (it is out
    /// of reach, or the link has no native atomics); `None` if they are.
    pub no_peer_atomics: Option<String>,
    /// While [`Device::capture`] is running: what the graph uses.
    pub(super) kept: RefCell<Option<Vec<Rc<dyn Any>>>>,
    /// How much time measurements may take.
    effort: Cell<Effort>,
}

pub(super) enum Kind {
    Gpu(Box<cuda::Gpu>),
    Sim(Rc<Simulator>),
    Cpu,
}

pub(super) const OTHER_DEVICE: &str = "the buffer or kernel belongs to another device";

impl Device {
    /// The simulator, if it is one: for what only the simulator does.
    pub fn simulated(&self) -> Option<&Simulator> {
        match &self.kind {
            Kind::Sim(simulator) => Some(simulator),
            _ => None,
        }
    }

    /// Opens the device that `choice` names.
    ///
    /// # Errors
    /// [`NoGpu`], for [`DeviceChoice::Gpu`] where none is usable.
    pub fn open(choice: DeviceChoice) -> Result<Device> {
        Device::open_with(choice, SimulatorOptions::default())
    }

    /// [`Device::open`], with the simulator run as `options` say.
    ///
    /// # Errors
    /// Of [`Device::open`].
    pub fn open_with(choice: DeviceChoice, options: SimulatorOptions) -> Result<Device> {
        Ok(Device::open_apart(choice, Some(1), options)?.remove(0))
    }

    /// Opens several devices of one kind. GPUs: `count` of them, or without one all that there are. Simulated
    /// GPUs: `count` or 2, which share one simulator, run as `simulated` says. Where they do not reach each
    /// other's memory, [`Device::no_peers`] of the first says why.
    ///
    /// # Errors
    /// [`NoGpu`]; fewer GPUs than asked for.
    pub fn open_some(
        choice: DeviceChoice,
        count: Option<usize>,
        peers: Peers,
        simulated: SimulatorOptions,
    ) -> Result<Vec<Device>> {
        let mut devices = Device::open_apart(choice, count, simulated)?;
        let refused = match peers {
            Peers::Connected => connect(&devices).err().map(|error| format!("{error:#}")),
            Peers::Apart => Some("--no-peers: as if no GPU could reach the memory of another".into()),
        };
        if devices.len() > 1 {
            devices[0].no_peer_atomics = refused.clone().or_else(|| without_atomics(&devices));
            devices[0].no_peers = refused;
        }
        Ok(devices)
    }

    /// [`Device::open_some`], before they are connected.
    fn open_apart(
        choice: DeviceChoice,
        count: Option<usize>,
        simulated: SimulatorOptions,
    ) -> Result<Vec<Device>> {
        let mut no_gpu = None;
        if choice != DeviceChoice::Sim {
            match cuda::Gpu::open_some(count.unwrap_or(usize::MAX)) {
                Ok(gpus) => return enough(gpus, count),
                Err(error) if choice == DeviceChoice::Gpu => return Err(error.into()),
                Err(error) => no_gpu = Some(error),
            }
        }
        let shared = Rc::new(Simulator::new(simulated));
        let mut devices: Vec<_> =
            (0..count.unwrap_or(2)).map(|_| Device::new(Kind::Sim(shared.clone()))).collect();
        if let Some(first) = devices.first_mut() {
            first.no_gpu = no_gpu;
        }
        Ok(devices)
    }

    /// Opens GPU `number` of this host; where this process sees only one GPU, that one. [`DeviceChoice::Sim`]
    /// opens the simulator instead. [`DeviceChoice::Auto`] does not fall back to it.
    ///
    /// # Errors
    /// [`NoGpu`]
    pub fn open_number(choice: DeviceChoice, number: usize) -> Result<Device> {
        if choice == DeviceChoice::Sim {
            return Device::open(choice);
        }
        Ok(Device::new(Kind::Gpu(cuda::Gpu::open_number(number)?.into())))
    }

    /// The same device with work of its own: what is started on one does not wait for what was started on the
    /// other. On the simulator all work is done at once.
    ///
    /// # Errors
    /// The driver has no further stream.
    pub fn another_stream(&self) -> Result<Device> {
        Ok(Device::new(match &self.kind {
            Kind::Gpu(gpu) => Kind::Gpu(gpu.another_stream()?.into()),
            Kind::Sim(simulator) => Kind::Sim(simulator.clone()),
            Kind::Cpu => Kind::Cpu,
        }))
    }

    /// Whether kernels run on the simulator.
    pub fn is_simulated(&self) -> bool {
        self.simulated().is_some()
    }

    /// Whether all work is done.
    ///
    /// # Errors
    /// A kernel went wrong on a GPU.
    pub fn is_idle(&self) -> Result<bool> {
        self.gpu().map_or(Ok(true), cuda::Gpu::is_idle)
    }

    /// The simulator, run as `options` say.
    pub fn simulator(options: SimulatorOptions) -> Device {
        Device::new(Kind::Sim(Rc::new(Simulator::new(options))))
    }

    /// The CPU, which runs Rust code alone.
    pub fn cpu() -> Device {
        Device::new(Kind::Cpu)
    }

    fn new(kind: Kind) -> Device {
        Device {
            kind,
            no_gpu: None,
            no_peers: None,
            no_peer_atomics: None,
            kept: RefCell::default(),
            effort: Cell::default(),
        }
    }

    /// Name and properties, for the record.
    pub fn info(&self) -> DeviceInfo {
        match &self.kind {
            Kind::Gpu(gpu) => gpu.info(),
            Kind::Sim(simulator) => simulator.info(),
            Kind::Cpu => {
                let threads = Some(measure::cpu_threads());
                DeviceInfo { threads, ..DeviceInfo::new(DeviceKind::Cpu, measure::cpu_name()) }
            }
        }
    }

    /// The limits of a GPU, as the driver reports them; none of the simulator.
    pub fn limits(&self) -> Vec<Limit> {
        self.gpu().map_or(Vec::new(), cuda::Gpu::limits)
    }

    /// Streaming multiprocessors; the simulator has those of an H200, the CPU none.
    pub fn multiprocessors(&self) -> u32 {
        match &self.kind {
            Kind::Gpu(gpu) => gpu.multiprocessors(),
            Kind::Sim(simulator) => simulator.core.borrow().properties().multiprocessors,
            Kind::Cpu => 0,
        }
    }

    /// Waits for all work.
    ///
    /// # Errors
    /// A kernel that went wrong on a GPU is reported here, or at the next copy to the host: a
    /// [`Fault`](super::Fault).
    pub fn synchronize(&self) -> Result<()> {
        self.refuse_in_capture("waiting")?;
        self.gpu().map_or(Ok(()), cuda::Gpu::synchronize)
    }

    /// How many launches made by device code may be pending at a time
    /// (`cudaLimitDevRuntimePendingLaunchCount`); 2,048 unless set. To be called before the first launch that
    /// needs more: a launch above the limit does not happen, and the host is not told.
    ///
    /// # Errors
    /// A GPU that has no memory for this many.
    pub fn set_pending_launch_limit(&self, launches: u64) -> Result<()> {
        self.refuse_in_capture("a limit of the device")?;
        match &self.kind {
            Kind::Gpu(gpu) => gpu.set_pending_launch_limit(launches)?,
            Kind::Sim(simulator) => simulator.core.borrow_mut().set_pending_launch_limit(launches),
            Kind::Cpu => {}
        }
        Ok(())
    }

    /// How much time measurements on a GPU may take from now on.
    pub fn set_effort(&self, effort: Effort) {
        self.effort.set(effort);
    }

    /// How much time measurements on a GPU may take.
    pub fn effort(&self) -> Effort {
        self.effort.get()
    }

    /// What `work` costs: on a GPU the time between two events around it, repeated, each time after `prepare`
    /// (untimed); on the simulator exact counts, from one run.
    ///
    /// # Errors
    /// Those of `prepare` and `work`.
    pub fn measure(
        &self,
        mut prepare: impl FnMut() -> Result<()>,
        mut work: impl FnMut() -> Result<()>,
    ) -> Result<Measurement> {
        self.refuse_in_capture("a measurement")?;
        let Some(gpu) = self.gpu() else {
            prepare()?;
            self.take_seen();
            work()?;
            return Ok(self.take_seen());
        };
        let time = measure::repeat(self.effort().budget(), || {
            prepare()?;
            gpu.time(&mut work)
        })?;
        Ok(Measurement { time, ..Default::default() })
    }

    /// [`Device::measure`] of work that leaves its input as it was.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn measure_launch(&self, work: impl FnMut() -> Result<()>) -> Result<Measurement> {
        self.measure(|| Ok(()), work)
    }

    /// What `work`, which waits for all that it starts, costs by the host's clock: the call, the launch and
    /// the wait count too, as they do for a caller who needs the result. On the simulator as
    /// [`Device::measure`].
    ///
    /// # Errors
    /// Those of `work`.
    pub fn measure_until_done(&self, mut work: impl FnMut() -> Result<()>) -> Result<Measurement> {
        if self.gpu().is_none() {
            return self.measure_launch(work);
        }
        let time = measure::repeat(self.effort().budget(), || {
            let start = Instant::now();
            work()?;
            Ok(start.elapsed().as_secs_f64() * 1e6)
        })?;
        Ok(Measurement { time, ..Default::default() })
    }

    /// Microseconds that `work` takes, once, between two events on a GPU. None on the simulator, which does
    /// the work and has no clock.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn time(&self, mut work: impl FnMut() -> Result<()>) -> Result<Option<f64>> {
        self.refuse_in_capture("a measurement")?;
        match self.gpu() {
            Some(gpu) => gpu.time(&mut work).map(Some),
            None => work().map(|()| None),
        }
    }

    /// What the launches since the last call have cost and what the checks have found in them, even where
    /// something stopped them; the simulator only.
    pub fn take_seen(&self) -> Measurement {
        self.simulated().map(Simulator::take_seen).unwrap_or_default()
    }

    /// Takes the counters alone out of what [`Device::take_seen`] would return; the simulator only.
    pub fn take_counters(&self) -> Counters {
        let Some(simulator) = self.simulated() else { return Counters::default() };
        let (counters, _levels) = &mut *simulator.seen.borrow_mut();
        std::mem::take(counters)
    }

    /// The simulator itself.
    ///
    /// # Errors
    /// The device is another.
    pub fn core(&self) -> Result<std::cell::RefMut<'_, ptx_simulator::Simulator>> {
        Ok(self.simulated().context("only the simulator can tell this")?.core.borrow_mut())
    }

    /// What has been remembered since the last call; `None` unless [`Simulator::remember`] was called.
    pub fn take_trace(&self) -> Option<Trace> {
        self.simulated()?.take_trace()
    }

    /// What kernels have printed since the last call, where [`SimulatorOptions::keep_printed`] is set.
    pub fn take_printed(&self) -> String {
        self.simulated().map(|simulator| simulator.core.borrow_mut().take_printed()).unwrap_or_default()
    }

    /// The handle of the stream of all work, as the driver and the CUDA runtime have it; on a GPU only.
    pub fn raw_stream(&self) -> Option<*mut std::ffi::c_void> {
        self.gpu().map(cuda::Gpu::raw_stream)
    }

    /// The GPU, if it is one.
    pub(super) fn gpu(&self) -> Option<&cuda::Gpu> {
        if let Kind::Gpu(gpu) = &self.kind { Some(gpu) } else { None }
    }

    /// Whether a graph is being captured.
    pub(super) fn is_capturing(&self) -> bool {
        self.kept.borrow().is_some()
    }

    /// Refuses `what` while a graph is captured, since it cannot be part of one.
    pub(super) fn refuse_in_capture(&self, what: &str) -> Result<()> {
        ensure!(
            !self.is_capturing(),
            "{what} cannot be part of a graph, which holds launches, memset_zeros and memcpy_dtod; do it \
             before Device::capture"
        );
        Ok(())
    }
}

/// `gpus` as devices, if they are as many as were asked for.
fn enough(gpus: Vec<cuda::Gpu>, count: Option<usize>) -> Result<Vec<Device>> {
    if let Some(count) = count.filter(|count| *count > gpus.len()) {
        let usable = gpus.len();
        bail!("--gpus {count}: {usable} usable here; give --gpus {usable}, or use --device sim");
    }
    Ok(gpus.into_iter().map(|gpu| Device::new(Kind::Gpu(gpu.into()))).collect())
}

/// Why atomics of some GPU are not atomic in the memory of another; `None` if all are.
fn without_atomics(devices: &[Device]) -> Option<String> {
    pairs(devices).find_map(|(one, other)| match one.has_native_atomics_on(other) {
        Ok(true) => None,
        Ok(false) => Some(format!(
            "the link between GPU {} and GPU {} has no native atomics",
            one.ordinal(),
            other.ordinal()
        )),
        Err(error) => Some(format!("{error:#}")),
    })
}

/// Lets each GPU reach the memory of every other.
fn connect(devices: &[Device]) -> Result<()> {
    for (one, other) in pairs(devices) {
        one.reach(other)?;
    }
    Ok(())
}

/// Each GPU with each other one, both ways.
fn pairs(devices: &[Device]) -> impl Iterator<Item = (&cuda::Gpu, &cuda::Gpu)> {
    let gpus = || devices.iter().filter_map(Device::gpu);
    gpus()
        .flat_map(move |one| gpus().map(move |other| (one, other)))
        .filter(|(one, other)| one.ordinal() != other.ordinal())
}
