//! The simulator as a device: its options, its stream of work, and what its launches have shown.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use cuda_source::parameters::{parameters, shared_kind};
use ptx_simulator::observe::{Act, Event, Observer};
use ptx_simulator::trace::{Recorder, Trace};
use ptx_simulator::{
    self as sim, Budget, Counters, DEFAULT_MEMORY, DEFAULT_STEP_LIMIT, DEFAULT_SYNC_DEPTH, DeviceProperties,
    Diagnostic, Interleaving, LaunchConfig, Orders, Together,
};
use serde::{Deserialize, Serialize};
use text::{printed, say};

use super::measure::Measurement;
use super::names::{Called, Names};
use crate::info::{DeviceInfo, DeviceKind};
use crate::levels::Levels;

/// What [`printed::first_lines`] says of a full buffer is true.
const _: () = assert!(ptx_simulator::MAX_PRINTED == printed::ROOM);

/// How the simulator runs kernels.
#[derive(Clone, Debug)]
pub struct SimulatorOptions {
    /// The order in which blocks and warps have their turns: 0 is the plain one, 2 and every fourth from
    /// there on takes the last ones first, any other number is a shuffled one.
    pub schedule: u64,
    /// How much may be spent to run each launch under the checks again, in every other order of its atomic
    /// and other strong operations; `None`: one order is all.
    pub every_order: Option<Budget>,
    /// The order of the operations of a launch, in place of the schedule's.
    pub order: Option<LaunchOrder>,
    /// Whether launches run under the checks. Without them a launch finds only what stops it, and all memory
    /// counts as defined afterwards.
    pub checks: bool,
    /// Instructions that the warps of one launch may execute, child grids included; more is an endless loop.
    /// `None`: no limit; only what can be seen never to end is stopped.
    pub step_limit: Option<u64>,
    /// The GPU that is simulated, on which it depends how many blocks are under way at the same time.
    pub gpu: DeviceProperties,
    /// Bytes that the buffers and what the checks remember may take together; more is refused.
    pub memory: u64,
    /// How many levels of grids may wait for their children (`cudaLimitDevRuntimeSyncDepth`); for device code
    /// of before CUDA 12.
    pub sync_depth: u32,
    /// Is set by somebody who wants what runs to stop.
    pub stop: Option<&'static AtomicBool>,
    /// Whether what kernels print is kept for [`Device::take_printed`](super::Device::take_printed), and does
    /// not go to stderr.
    pub keep_printed: bool,
}

/// An order of the operations of one launch of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchOrder {
    /// Which launch under the checks, from 0.
    pub launch: usize,
    /// The order.
    #[serde(flatten)]
    pub order: Interleaving,
}

impl Default for SimulatorOptions {
    fn default() -> SimulatorOptions {
        SimulatorOptions {
            schedule: 0,
            every_order: None,
            order: None,
            checks: true,
            step_limit: Some(DEFAULT_STEP_LIMIT),
            gpu: DeviceProperties::H200,
            memory: DEFAULT_MEMORY,
            sync_depth: DEFAULT_SYNC_DEPTH,
            stop: None,
            keep_printed: false,
        }
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

/// The simulator, with what its launches have shown since that was taken.
pub struct Simulator {
    /// What executes.
    pub core: RefCell<sim::Simulator>,
    options: SimulatorOptions,
    /// What the launches have counted since that was taken.
    pub seen: RefCell<(Counters, Levels)>,
    found: RefCell<Vec<Diagnostic>>,
    /// Launches under the checks so far, and of those since that was taken, which orders were tried.
    launches: Cell<usize>,
    every_order: RefCell<Option<Budget>>,
    /// Work that the launches of a whole program may still spend on orders.
    left_for_orders: Cell<u64>,
    orders: RefCell<Vec<Orders>>,
    /// Is told what launches do.
    observer: RefCell<Option<Rc<RefCell<dyn Observer>>>>,
    /// Hears how far the launches under checks are.
    progress: RefCell<Option<Progress>>,
    /// The names of what kernels work on.
    names: RefCell<Names>,
    /// Remembers the launches under checks, if that was asked for.
    recorder: RefCell<Option<Remembered>>,
    /// While a graph is captured: what has been put into it.
    pub(super) captured: RefCell<Option<Vec<Step>>>,
}

impl Simulator {
    pub(super) fn new(options: SimulatorOptions) -> Simulator {
        let mut core = sim::Simulator::new();
        core.set_schedule(options.schedule);
        core.set_sync_depth_limit(options.sync_depth);
        core.set_properties(options.gpu);
        core.set_step_limit(options.step_limit);
        if let Some(stop) = options.stop {
            core.set_stop(stop);
        }
        core.set_memory_limit(options.memory);
        Simulator {
            core: RefCell::new(core),
            seen: RefCell::default(),
            found: RefCell::default(),
            launches: Cell::default(),
            left_for_orders: Cell::new(options.every_order.as_ref().map_or(0, for_a_program)),
            every_order: RefCell::new(options.every_order.clone()),
            orders: RefCell::default(),
            observer: RefCell::default(),
            progress: RefCell::default(),
            names: RefCell::default(),
            recorder: RefCell::default(),
            captured: RefCell::default(),
            options,
        }
    }

    pub fn info(&self) -> DeviceInfo {
        DeviceInfo::new(DeviceKind::Sim, concat!("workbook simulator ", env!("CARGO_PKG_VERSION")))
    }

    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.core.borrow_mut().write(address, bytes).map_err(found)
    }

    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        self.core.borrow().read(address, bytes).map_err(found)
    }

    /// From now on `observer` is told what kernels do.
    pub fn observe(&self, observer: Rc<RefCell<dyn Observer>>) {
        self.observer.replace(Some(observer));
    }

    /// From now on each launch under the checks runs in every order of its operations that matters, as far as
    /// the budget goes; `None`: in one.
    pub fn try_orders(&self, budget: Option<Budget>) {
        self.every_order.replace(budget);
    }

    /// From now on `tell` hears how far a launch under the checks is, from 0 to 1.
    pub fn tell_progress(&self, tell: Box<dyn Fn(f64)>) {
        self.progress.replace(Some(Progress::new(tell)));
    }

    /// From now on what kernels do under the checks is remembered, up to `events` events. Buffers are called
    /// what `source` calls the parameters, where it is known.
    pub fn remember(&self, events: usize, source: Option<&str>) {
        let recorder = Recorder::new(events);
        let source = source.unwrap_or_default().to_string();
        if !source.is_empty() {
            self.name_by(&source);
        }
        self.recorder.replace(Some(Remembered { recorder, source }));
    }

    /// What has been remembered since the last call; `None` unless [`Simulator::remember`] was called.
    pub(super) fn take_trace(&self) -> Option<Trace> {
        self.recorder.borrow_mut().as_mut().map(Remembered::take)
    }

    /// From now on what is found has the names of `source`, from which the kernels were made: `g_data[2]` in
    /// place of byte 8 of argument 0.
    pub fn name_by(&self, source: &str) {
        self.names.borrow_mut().source = source.to_string();
    }

    /// Names the arguments of the next launch as the host does, one entry for each; `None`: the host has no
    /// name for it.
    pub fn call_arguments(&self, called: Vec<Option<Called>>) {
        self.names.borrow_mut().called = called;
    }

    /// What the launches since the last call have shown.
    pub fn take_seen(&self) -> Measurement {
        let (counters, levels) = self.seen.take();
        let levels = levels.0;
        let found = self.found.take();
        let orders = self.orders.take();
        Measurement { counters: Some(counters), levels, found, orders, ..Default::default() }
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
        if self.options.checks {
            let launch = [sim::Launch { kernel, config, args }];
            return self.launch_together(module, &launch, Together::OnDevices);
        }
        let mut core = self.core.borrow_mut();
        let counters = &mut self.seen.borrow_mut().0;
        let observer = self.observer.borrow();
        let mut observer = observer.as_ref().map(|observer| observer.borrow_mut());
        let also: Vec<&mut dyn Observer> =
            observer.iter_mut().map(|observer| &mut **observer as &mut dyn Observer).collect();
        let mut ended = core.launch_counted(module, kernel, config, args, &mut (counters, Also(also)));
        if let Err(diagnostic) = &mut ended {
            self.name(std::iter::once(&mut **diagnostic), module, &sim::Launch { kernel, config, args });
            self.found.borrow_mut().push((**diagnostic).clone());
        }
        self.ended(&mut core, ended)
    }

    /// Runs `launches` together, under the checks.
    pub fn launch_together(
        &self,
        module: &sim::Module,
        launches: &[sim::Launch],
        how: Together,
    ) -> Result<()> {
        self.launch_in(&mut self.core.borrow_mut(), module, launches, how)
    }

    /// [`Simulator::launch_together`] in this `core`, which somebody has taken out for the time being: the
    /// host of a whole program.
    ///
    /// # Errors
    /// What stops the launch.
    pub fn launch_in(
        &self,
        core: &mut sim::Simulator,
        module: &sim::Module,
        launches: &[sim::Launch],
        how: Together,
    ) -> Result<()> {
        self.launch_heard(core, module, (launches, how), None, &mut { u64::MAX })
    }

    fn launch_heard(
        &self,
        core: &mut sim::Simulator,
        module: &sim::Module,
        (launches, how): (&[sim::Launch], Together),
        beside: Option<&mut dyn Observer>,
        left_for_orders: &mut u64,
    ) -> Result<()> {
        let seen = &mut *self.seen.borrow_mut();
        let all = &mut *self.found.borrow_mut();
        let mut recorder = self.recorder.borrow_mut();
        let mut progress = self.progress.borrow_mut();
        let observer = self.observer.borrow();
        let mut observer = observer.as_ref().map(|observer| observer.borrow_mut());
        if let Some(recorder) = &mut *recorder {
            for sim::Launch { kernel, config, args } in launches {
                recorder.begin(module, (kernel, config, args), &self.names.borrow().called);
            }
        }
        let mut also: Vec<&mut dyn Observer> = Vec::new();
        also.extend(progress.as_mut().map(|progress| progress as &mut dyn Observer));
        also.extend(recorder.as_mut().map(|remembered| &mut remembered.recorder as &mut dyn Observer));
        also.extend(observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer));
        let before = all.len();
        let number = self.launches.replace(self.launches.get() + 1);
        let order = self.options.order.as_ref().filter(|order| order.launch == number);
        core.set_order(order.map(|order| order.order.clone()));
        let mut listeners = (seen, (Also(also), Also(beside.into_iter().collect())));
        let mut ended = match self.every_order.borrow().clone() {
            Some(budget) => core
                .launch_in_every_order(module, (launches, how), &mut listeners, all, budget, left_for_orders)
                .map(|orders| self.orders.borrow_mut().push(orders)),
            None => core.launch_together(module, (launches, how), &mut listeners, all),
        };
        if let Some(first) = launches.first() {
            let stop = ended.as_mut().err().map(|diagnostic| &mut **diagnostic);
            self.name(all[before..].iter_mut().chain(stop), module, first);
        }
        if let Some(recorder) = &mut *recorder {
            recorder.recorder.found(&all[before..]);
        }
        self.ended(core, ended)
    }

    /// A launch of a whole program, in its `core`: under the checks or without, as the options say. `also`
    /// hears it too.
    ///
    /// # Errors
    /// What stops the launch.
    pub fn launch_whole(
        &self,
        core: &mut sim::Simulator,
        module: &sim::Module,
        launch: &sim::Launch,
        also: Option<&mut dyn Observer>,
    ) -> Result<()> {
        let launches = [*launch];
        if self.options.checks {
            let mut left = self.left_for_orders.get();
            let ended = self.launch_heard(core, module, (&launches, Together::OnDevices), also, &mut left);
            self.left_for_orders.set(left);
            return ended;
        }
        let counters = &mut self.seen.borrow_mut().0;
        let also = Also(also.into_iter().collect());
        let sim::Launch { kernel, config, args } = *launch;
        let mut ended = core.launch_counted(module, kernel, config, args, &mut (counters, also));
        if let Err(diagnostic) = &mut ended {
            self.name(std::iter::once(&mut **diagnostic), module, launch);
            self.found.borrow_mut().push((**diagnostic).clone());
        }
        self.ended(core, ended)
    }

    /// Whether launches are checked.
    pub fn has_checks(&self) -> bool {
        self.options.checks
    }

    /// Takes what the launches have found since this or [`Simulator::take_seen`] was called last.
    pub fn take_found(&self) -> Vec<Diagnostic> {
        self.found.take()
    }

    /// Takes back what stopped a launch, of which something better is to be said.
    pub fn retract(&self, stopped: &Diagnostic) {
        let mut found = self.found.borrow_mut();
        if let Some(last) = found.iter().rposition(|one| (one.kind, one.line) == (stopped.kind, stopped.line))
        {
            found.remove(last);
        }
    }

    /// Gives what a launch has `found` the names of the source.
    fn name<'f>(
        &self,
        found: impl Iterator<Item = &'f mut Diagnostic>,
        module: &sim::Module,
        sim::Launch { kernel, args, .. }: &sim::Launch,
    ) {
        let names = self.names.borrow();
        let mut rest = *args;
        let mut arguments = Vec::new();
        for param in module.params(kernel).unwrap_or_default() {
            arguments.extend(rest.first());
            rest = rest.get(param.pieces()..).unwrap_or_default();
        }
        found.for_each(|found| names.name(found, kernel, &arguments));
        drop(names);
        self.names.borrow_mut().called.clear();
    }

    fn ended(&self, core: &mut sim::Simulator, ended: Result<(), Box<Diagnostic>>) -> Result<()> {
        if !self.options.keep_printed {
            // What a kernel prints is no result: stdout belongs to those.
            say::err(&core.take_printed());
        }
        ended.map_err(found)
    }
}

/// Work that the launches of a program may spend on orders together: the first one has all of the budget
/// then.
fn for_a_program(budget: &Budget) -> u64 {
    budget.work.saturating_mul(2)
}

/// Those who listen beside the counters.
struct Also<'a>(Vec<&'a mut dyn Observer>);

impl Observer for Also<'_> {
    fn event(&mut self, event: &Event) {
        for observer in &mut self.0 {
            observer.event(event);
        }
    }
}

/// Blocks that have ended, of those that launches are known to have. A launch by device code counts as one
/// block until its grid starts.
#[derive(Default)]
pub struct Blocks {
    /// Those that have ended.
    pub ended: u64,
    /// All that are known.
    pub known: u64,
}

impl Observer for Blocks {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Grid(start) => {
                let (x, y, z) = start.config.grid_dim;
                let blocks = u64::from(x) * u64::from(y) * u64::from(z);
                self.known += if start.parent.is_some() { blocks - 1 } else { blocks };
            }
            Event::By(_, Act::Launch(launch)) if launch.refused.is_none() => self.known += 1,
            Event::BlockEnd { .. } => self.ended += 1,
            _ => {}
        }
    }
}

/// Tells how far a run is.
pub struct Progress {
    blocks: Blocks,
    /// What was told last; more launches do not take that back.
    told: f64,
    tell: Box<dyn Fn(f64)>,
}

impl Progress {
    pub fn new(tell: Box<dyn Fn(f64)>) -> Progress {
        Progress { blocks: Blocks::default(), told: 0.0, tell }
    }
}

impl Observer for Progress {
    fn event(&mut self, event: &Event) {
        self.blocks.event(event);
        if let Event::BlockEnd { .. } = event {
            self.told = self.told.max(self.blocks.ended as f64 / self.blocks.known as f64);
            (self.tell)(self.told);
        }
    }
}

/// What is remembered of launches, and the source that has names for their buffers.
pub struct Remembered {
    pub recorder: Recorder,
    pub source: String,
}

impl Remembered {
    /// Tells the recorder of a launch, whose buffers are called as the host calls them, or as the parameters
    /// are, or else by their place among the arguments.
    fn begin(
        &mut self,
        module: &sim::Module,
        (kernel, config, args): (&str, &LaunchConfig, &[u64]),
        called: &[Option<Called>],
    ) {
        self.recorder.begin(module, kernel, config);
        let names = parameters(&self.source, kernel);
        let params = module.params(kernel).unwrap_or_default();
        for (place, (arg, _)) in
            args.iter().zip(params).enumerate().filter(|(_, (_, param))| param.bytes == 8)
        {
            let called = called.get(place).cloned().flatten().unwrap_or_default();
            let parameter = names.get(place);
            let name = called.name.or(parameter.map(|parameter| parameter.name.clone()));
            let kind = parameter.and_then(|parameter| parameter.kind).or(called.kind);
            self.recorder.name(*arg, &name.unwrap_or(format!("argument {place}")), kind);
        }
    }

    /// The trace, with the types of the source in shared memory.
    pub fn take(&mut self) -> Trace {
        let mut trace = self.recorder.take();
        let kind = shared_kind(&self.source, &trace.kernel);
        for buffer in trace.buffers.iter_mut().filter(|buffer| buffer.space == "shared") {
            buffer.kind = kind.map(str::to_string);
        }
        trace
    }
}

/// What the simulator has found, so that the caller can ask an error for its [`Diagnostic`].
pub fn found(diagnostic: Box<Diagnostic>) -> anyhow::Error {
    anyhow::Error::new(*diagnostic)
}
