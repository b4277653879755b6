//! Modules, the simulated device, and launches on it.

use std::cell::Cell;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::check::Checker;
use crate::counters::Counters;
use crate::decode::{self, FUNCTION_WINDOW, Param, Program, initial_bytes};
use crate::device::{
    DEFAULT_PENDING_LAUNCHES, DEFAULT_STEP_LIMIT, DEFAULT_SYNC_DEPTH, DeviceProperties, LaunchConfig,
};
use crate::diagnostic::{Diagnostic, Kind};
use crate::explore::{GivenUp, Hears, Interleaving, Turns};
use crate::grid::{self, Engine, Limits, Together};
use crate::memory::{self, Memory, Owner, Written, Wrong};
use crate::observe::{self, Unchecked};
use crate::ptx::{Space, Variable};
use crate::what;

/// Parsed PTX, ready to launch. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Module {
    program: Arc<Program>,
}

impl Module {
    /// Reads PTX text. `name` stands in messages.
    ///
    /// # Errors
    /// Names what cannot be read, and its line. An instruction that is not known is an error of the launch
    /// only.
    pub fn parse(ptx: &str, name: &str) -> Result<Module, Box<Diagnostic>> {
        Module::with_registers::<&str>(ptx, name, &[])
    }

    /// [`Module::parse`] of PTX whose machine code takes so many registers per thread, by kernel: how many
    /// blocks fit at the same time depends on them.
    ///
    /// # Errors
    /// Of [`Module::parse`].
    pub fn with_registers<K: AsRef<str>>(
        ptx: &str,
        name: &str,
        registers: &[(K, u32)],
    ) -> Result<Module, Box<Diagnostic>> {
        let mut program = decode::decode(ptx, name)?;
        for (kernel, count) in registers {
            if let Some(function) = program.by_name.get(kernel.as_ref()) {
                program.functions[*function].machine_registers = Some(*count);
            }
        }
        Ok(Module { program: Arc::new(program) })
    }

    pub(crate) fn program(&self) -> Arc<Program> {
        self.program.clone()
    }

    /// Whether `other` came from the same call of [`Module::parse`].
    pub fn is(&self, other: &Module) -> bool {
        Arc::ptr_eq(&self.program, &other.program)
    }

    /// Names of the kernels (`.entry`), in the order of the text.
    pub fn kernels(&self) -> &[String] {
        &self.program.kernels
    }

    /// Whether `kernel` has a barrier of its whole grid, which asks for a cooperative launch (CUDA
    /// Programming Guide, "Grid Synchronization").
    pub fn synchronises_its_grid(&self, kernel: &str) -> bool {
        let function = self.program.by_name.get(kernel).map(|number| &self.program.functions[*number]);
        function.is_some_and(|function| function.uses_grid_workspace)
    }

    /// The parameters of `kernel`, if there is such a kernel.
    pub fn params(&self, kernel: &str) -> Option<&[Param]> {
        let function = &self.program.functions[*self.program.by_name.get(kernel)?];
        function.is_entry.then_some(&function.params[..])
    }

    /// Names of the variables in global and constant memory, in the order of the text.
    pub fn variables(&self) -> Vec<&str> {
        self.program.globals.iter().map(|variable| variable.name.as_str()).collect()
    }

    /// Bytes of the variables in global and constant memory, and of a thread's local memory in all functions.
    pub fn bytes(&self) -> (usize, usize) {
        let global = self.program.globals.iter().map(|variable| variable.bytes());
        let local = self.program.functions.iter().map(|function| function.local_bytes);
        (global.fold(0, usize::saturating_add), local.fold(0, usize::saturating_add))
    }

    /// File and line (from 1) of an event: what [`observe::Actor::loc`] stands for. `None` where there is no
    /// line table.
    pub fn source_line(&self, loc: u32) -> Option<(&str, u32)> {
        let loc = self.program.locs.get(loc as usize).filter(|loc| !loc.is_ptx);
        loc.map(|loc| (&*loc.file, loc.line))
    }
}

/// A kernel to launch: its name, its shape and its arguments. `args`: one cell per parameter, the value in
/// its low bytes (a pointer is an address from [`Simulator::alloc`]).
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// Grid and block.
    pub config: LaunchConfig,
    /// One per parameter.
    pub args: &'a [u64],
}

/// The result of a checked launch.
#[derive(Clone, Debug)]
pub struct Launched {
    /// What was counted, also before something stopped the launch.
    pub counters: Counters,
    /// At most one for each kind and source line, in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the launch ran to its end; if not, one of the diagnostics says why.
    pub completed: bool,
}

/// The simulated device: its memory and its limits.
#[derive(Debug)]
pub struct Simulator {
    device: DeviceProperties,
    pub(crate) memory: Memory,
    pub(crate) limits: Limits,
    /// What the next launches follow, if an order was asked for.
    pub(crate) order: Option<Interleaving>,
    /// Modules whose variables have been laid out, with the variables' addresses.
    loaded: Vec<(Module, Vec<u64>)>,
    pub(crate) printed: String,
    /// Bytes that a native has read and written for a program's host.
    pub(crate) moved: Cell<u64>,
}

impl Default for Simulator {
    fn default() -> Simulator {
        Simulator::new()
    }
}

impl Simulator {
    /// An H200 with empty memory.
    pub fn new() -> Simulator {
        let pending_launches = DEFAULT_PENDING_LAUNCHES;
        let sync_depth = DEFAULT_SYNC_DEPTH;
        Simulator {
            device: DeviceProperties::H200,
            memory: Memory::new(),
            limits: Limits {
                pending_launches,
                sync_depth,
                steps: Some(DEFAULT_STEP_LIMIT),
                ..Limits::default()
            },
            order: None,
            loaded: Vec::new(),
            printed: String::new(),
            moved: Cell::new(0),
        }
    }

    /// What the simulated device has: an H200's multiprocessors, and so on.
    pub fn properties(&self) -> &DeviceProperties {
        &self.device
    }

    /// Makes it another device. What a launch may ask for, and how many blocks are under way at the same
    /// time, depend on it.
    pub fn set_properties(&mut self, device: DeviceProperties) {
        self.device = device;
    }

    /// Blocks of `kernel`, in the shape of `config`, that are under way at the same time
    /// ([`DeviceProperties::residency`]).
    pub fn resident_blocks(&self, module: &Module, kernel: &str, config: &LaunchConfig) -> u32 {
        let program = &module.program;
        let function = program.by_name.get(kernel).map(|function| &program.functions[*function]);
        let fixed = function.map_or(0, |function| function.shared_bytes);
        let shared = fixed + config.shared_mem_bytes as usize;
        let registers = function.and_then(|function| function.machine_registers);
        self.device.residency(config, shared, registers).blocks
    }

    /// `bytes` bytes of global memory, contents undefined; the address is 256-byte aligned and never 0.
    ///
    /// # Errors
    /// The device is full.
    pub fn alloc(&mut self, bytes: u64) -> Result<u64, Box<Diagnostic>> {
        self.memory.alloc(bytes, "").ok_or_else(|| {
            let what = format!(
                "no room for an allocation of {}: the simulated device has {} bytes of memory, as far as \
                 this machine has them, for at most 1,048,576 allocations",
                what::bytes(bytes),
                what::thousands(self.memory.most_bytes)
            );
            Box::new(Diagnostic::of_host(Kind::MemoryLimit, None, what, "run a smaller problem"))
        })
    }

    /// Gives an allocation back; an address that is not the start of a live allocation is ignored.
    pub fn free(&mut self, address: u64) {
        self.memory.free(address);
    }

    /// [`Simulator::free`], with what the allocation held, and which bytes of that have been written; `None`
    /// if all have.
    pub fn take(&mut self, address: u64) -> (Vec<u8>, Option<Written>) {
        self.memory.take(address)
    }

    /// Copies host bytes to device memory.
    ///
    /// # Errors
    /// The bytes do not all lie in one live allocation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
        match self.memory.slice_mut(address, bytes.len()) {
            Ok(to) => {
                to.copy_from_slice(bytes);
                self.memory.define_end(address, bytes.len());
                Ok(())
            }
            Err(wrong) => Err(copy_error("to", bytes.len(), address, &wrong)),
        }
    }

    /// Copies device memory to the host.
    ///
    /// # Errors
    /// The bytes do not all lie in one live allocation.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Box<Diagnostic>> {
        bytes.copy_from_slice(self.bytes(address, bytes.len())?);
        Ok(())
    }

    /// Bytes of device memory.
    ///
    /// # Errors
    /// They do not all lie in one live allocation.
    pub fn bytes(&self, address: u64, bytes: usize) -> Result<&[u8], Box<Diagnostic>> {
        self.memory.slice(address, bytes).map_err(|wrong| copy_error("from", bytes, address, &wrong))
    }

    /// Where a variable of `module` lies, and its bytes.
    ///
    /// # Errors
    /// There is no such variable, or no room for the module's variables.
    pub fn variable(&mut self, module: &Module, name: &str) -> Result<(u64, u64), Box<Diagnostic>> {
        let loaded = self.load(module)?;
        let globals = module.program.globals.iter().zip(&self.loaded[loaded].1);
        let found = globals.into_iter().find(|(variable, _)| variable.name == name);
        found
            .map(|(variable, address)| (*address, variable.bytes() as u64))
            .ok_or_else(|| host_error(format!("there is no variable `{name}`"), "check the spelling"))
    }

    /// Whether all of `bytes` bytes from `address` on have been written, by the host or by a kernel under
    /// checks; after a launch without checks every byte counts as written.
    pub fn is_defined(&self, address: u64, bytes: usize) -> bool {
        self.memory.written(address).is_none_or(|(written, at)| written.all(at, bytes))
    }

    /// `cudaLimitDevRuntimePendingLaunchCount`; 2,048 unless set.
    pub fn set_pending_launch_limit(&mut self, launches: u64) {
        self.limits.pending_launches = launches;
    }

    /// `cudaLimitDevRuntimeSyncDepth`; 2 unless set. Only device code of CUDA before 12 can wait at all.
    pub fn set_sync_depth_limit(&mut self, levels: u32) {
        self.limits.sync_depth = levels;
    }

    /// Most instructions that the warps of a launch may execute, child grids included; more is an endless
    /// loop. [`crate::DEFAULT_STEP_LIMIT`] unless set; `None`: a launch goes on until it ends or can be seen
    /// never to (`ends/`).
    pub fn set_step_limit(&mut self, instructions: Option<u64>) {
        self.limits.steps = instructions;
    }

    /// From now on a launch is stopped early if the blocks that have ended show that it would need many times
    /// its limit: [`crate::What::TooLong`].
    pub fn foresee(&mut self) {
        self.limits.foresees = true;
    }

    /// As soon as `stop` is set, what runs is stopped, and says so.
    pub fn set_stop(&mut self, stop: &'static AtomicBool) {
        self.limits.stop = Some(stop);
    }

    /// Whether what runs is to stop.
    pub fn is_to_stop(&self) -> bool {
        self.limits.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// All buffers together, and what the checks remember of a launch, may take this many bytes;
    /// [`crate::DEFAULT_MEMORY`] unless set.
    pub fn set_memory_limit(&mut self, bytes: u64) {
        self.memory.most_bytes = bytes;
    }

    /// What device `printf` has written since the last call.
    pub fn take_printed(&mut self) -> String {
        std::mem::take(&mut self.printed)
    }

    /// Runs `kernel` of `module` to its end, child grids included. `args`: one cell per parameter, the value
    /// in its low bytes (a pointer is an address from [`Simulator::alloc`]); for a structure, one for each
    /// eight bytes.
    ///
    /// # Errors
    /// The first thing that is wrong, which stops the launch.
    pub fn launch(
        &mut self,
        module: &Module,
        kernel: &str,
        config: LaunchConfig,
        args: &[u64],
    ) -> Result<Counters, Box<Diagnostic>> {
        let mut counters = Counters::default();
        self.launch_counted(module, kernel, config, args, &mut counters)?;
        Ok(counters)
    }

    /// [`Simulator::launch`] that tells `observer`, such as [`Counters`], also of what was executed before
    /// something stopped it.
    ///
    /// # Errors
    /// As [`Simulator::launch`].
    pub fn launch_counted<O: observe::Observer>(
        &mut self,
        module: &Module,
        kernel: &str,
        config: LaunchConfig,
        args: &[u64],
        observer: &mut O,
    ) -> Result<(), Box<Diagnostic>> {
        let launch = [Launch { kernel, config, args }];
        self.run(module, (&launch, Together::OnDevices), &mut Unchecked(observer), None)
    }

    /// Runs launches together; where `turns` are given, they say in which order.
    pub(crate) fn run(
        &mut self,
        module: &Module,
        (launches, how): (&[Launch], Together),
        observer: &mut dyn observe::Watch,
        turns: Option<&RefCell<Turns>>,
    ) -> Result<(), Box<Diagnostic>> {
        let device = &self.device;
        let program = &module.program;
        let asked = self.limits.cluster;
        let roots = launches.iter().map(|Launch { kernel, config, args }| {
            grid::parameters(device, program, kernel, config, asked, args)
        });
        let roots = roots.collect::<Result<Vec<_>, _>>()?;
        let loaded = self.load(module)?;
        self.name_arguments(module, launches);
        let globals = &self.loaded[loaded].1;
        let mut engine = Engine::new(
            &self.device,
            &module.program,
            &mut self.memory,
            globals,
            observer,
            &mut self.printed,
            &self.limits,
        )
        .by_turns(turns);
        let ended = engine.run(roots, how);
        let by_warps = engine.progress.executed;
        let by_threads = engine.progress.by_threads;
        engine.observer.event(&observe::Event::Executed { by_warps, by_threads });
        if engine.observer.remembers().is_none() {
            // What this kernel has written is not known.
            engine.memory.define_all();
        }
        ended
    }

    /// [`Simulator::launch`] under the checks: everything that is wrong is listed, not only what stops the
    /// launch.
    pub fn launch_checked(
        &mut self,
        module: &Module,
        kernel: &str,
        config: LaunchConfig,
        args: &[u64],
    ) -> Launched {
        let mut counters = Counters::default();
        let mut diagnostics = Vec::new();
        let launch = [Launch { kernel, config, args }];
        let how = Together::OnDevices;
        let ended = self.launch_together(module, (&launch, how), &mut counters, &mut diagnostics);
        Launched { counters, completed: ended.is_ok(), diagnostics }
    }

    /// Runs `launches` together, under the checks and with an observer beside them. What is found is added to
    /// `found`.
    ///
    /// # Errors
    /// What stops a launch, which is the last of `found` too.
    pub fn launch_together(
        &mut self,
        module: &Module,
        (launches, how): (&[Launch], Together),
        observer: &mut dyn observe::Observer,
        found: &mut Vec<Diagnostic>,
    ) -> Result<(), Box<Diagnostic>> {
        self.prepare(module, launches)?;
        let turns = self.turns();
        let asked = self.schedule();
        let schedule = std::mem::replace(&mut self.limits.schedule, asked);
        let mut hears = (observer, Hears(turns.as_ref()));
        let mut both = (&mut hears as &mut dyn observe::Observer, self.checker(module));
        let ended = self.run(module, (launches, how), &mut both, turns.as_ref());
        self.limits.schedule = schedule;
        found.extend(both.1.into_found(ended.as_ref().err().map(|found| &**found)));
        let ended = ended.map_err(|found| match turns {
            Some(turns) if turns.borrow().given_up != GivenUp::No => host_error(
                "the order names an operation that this launch does not have next".to_string(),
                "an order belongs to one kernel with its data; run it without one",
            ),
            _ => found,
        });
        let Err(diagnostic) = ended else { return Ok(()) };
        found.push((*diagnostic).clone());
        Err(diagnostic)
    }

    /// Lays out the module's variables, and names the buffers of launches.
    pub(crate) fn prepare(&mut self, module: &Module, launches: &[Launch]) -> Result<(), Box<Diagnostic>> {
        self.load(module)?;
        self.name_arguments(module, launches);
        Ok(())
    }

    pub(crate) fn checker<'m>(&self, module: &'m Module) -> Checker<'m> {
        Checker::new(&module.program, self.memory.names())
    }

    /// Findings name a buffer by the argument that its address is given as.
    fn name_arguments(&mut self, module: &Module, launches: &[Launch]) {
        let names = launches.iter().flat_map(|launch| {
            let params = module.params(launch.kernel).unwrap_or_default();
            let mut rest = launch.args;
            params.iter().enumerate().filter_map(move |(position, param)| {
                let (pieces, behind) = rest.split_at_checked(param.pieces())?;
                rest = behind;
                (param.bytes == 8).then_some((pieces[0], position))
            })
        });
        self.memory.call(names);
    }

    /// The order in which blocks and warps have their turns: 0 is the plain one, 2 and every fourth from
    /// there on takes the last ones first, any other number is a shuffled one.
    pub fn set_schedule(&mut self, seed: u64) {
        self.limits.schedule = seed;
    }

    /// The next launches of the host are in clusters of this many blocks in x, y, z
    /// (`cudaLaunchAttributeClusterDimension`); `None`: as the kernel says, which mostly is without.
    pub fn set_cluster(&mut self, blocks: Option<(u32, u32, u32)>) {
        self.limits.cluster = blocks.map(Into::into);
    }

    /// From now on the threads of a warp run apart, as they may since Volta: each by itself until it waits or
    /// ends, those of `first` (numbers in the warp) in that order before the others. Empty: in lockstep
    /// again.
    pub fn set_thread_order(&mut self, first: &[u32]) {
        self.limits.order = first.to_vec();
    }

    /// Lays out the variables of a whole program: where they lie. `owner` says whose they are, by their
    /// names; constants are of both sides.
    pub(crate) fn load_program(
        &mut self,
        module: &Module,
        owner: impl Fn(&str) -> Owner,
    ) -> Result<Vec<u64>, Box<Diagnostic>> {
        let owner = |variable: &Variable| match variable.space {
            Space::Const => Owner::Constant,
            _ => owner(&variable.name),
        };
        let loaded = self.load_as(module, owner)?;
        Ok(self.loaded[loaded].1.clone())
    }

    /// Lays out the module's variables, once.
    fn load(&mut self, module: &Module) -> Result<usize, Box<Diagnostic>> {
        self.load_as(module, |_| Owner::Device)
    }

    fn load_as(
        &mut self,
        module: &Module,
        owner: impl Fn(&Variable) -> Owner,
    ) -> Result<usize, Box<Diagnostic>> {
        if let Some(at) = self.loaded.iter().position(|(known, _)| known.is(module)) {
            return Ok(at);
        }
        let mut addresses = Vec::new();
        for variable in &module.program.globals {
            let bytes = variable.bytes() as u64;
            let address =
                self.memory.alloc_for(owner(variable), bytes, own_name(variable)).ok_or_else(|| {
                    host_error(format!("no room for the variable `{}`", variable.name), "make it smaller")
                })?;
            addresses.push(address);
        }
        for (variable, &address) in module.program.globals.iter().zip(&addresses) {
            let mut bytes = initial_bytes(variable, |name, generic| {
                let mut globals = module.program.globals.iter().zip(&addresses);
                let global = globals
                    .find(|(v, _)| v.name == name)
                    .map(|(v, address)| address + if generic { memory::window(v.space) } else { 0 });
                global.or_else(|| Some(FUNCTION_WINDOW + *module.program.by_name.get(name)? as u64))
            });
            // What has no initialiser is zero (PTX ISA 5.4.4). A kernel cannot fill a constant, so that one
            // is a mistake unless the host has.
            bytes.resize(variable.bytes(), 0);
            if variable.space == Space::Const && variable.init.is_empty() {
                let len = bytes.len();
                let to = self.memory.slice_mut(address, len);
                to.map_err(|wrong| copy_error("to", len, address, &wrong))?.fill(0);
            } else {
                let to = self.memory.content_mut(address, bytes.len());
                to.map_err(|wrong| copy_error("to", bytes.len(), address, &wrong))?.copy_from_slice(&bytes);
            }
        }
        self.loaded.push((module.clone(), addresses));
        Ok(self.loaded.len() - 1)
    }
}

/// The name of a variable, without what clang puts behind that of a static one.
fn own_name(variable: &Variable) -> &str {
    variable.name.split("__static__").next().unwrap_or_default()
}

fn host_error(message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::of_host(Kind::OutOfBounds, None, message, help))
}

fn copy_error(direction: &str, bytes: usize, address: u64, wrong: &Wrong) -> Box<Diagnostic> {
    let why = match wrong {
        Wrong::NoAllocation => "where nothing has been allocated".to_string(),
        Wrong::Freed => "in a buffer that has been freed".to_string(),
        Wrong::OtherSide { .. } => "in memory of the host".to_string(),
        Wrong::Outside { offset, bytes: size, .. } => {
            format!("at byte {offset} of a buffer of {}", what::bytes(*size))
        }
    };
    host_error(
        format!("a copy of {} {direction} device address {address:#x}, {why}", what::bytes(bytes as u64)),
        "copy no more than the buffer holds",
    )
}
