//! The simulator: executes the very PTX that `nvcc` wrote, counts, and says what is wrong, with the line.
//!
//! | file | job |
//! | --- | --- |
//! | `lexer.rs`, `parser.rs`, `ptx.rs` | text -> tokens -> statements; what statements are |
//! | `decode.rs`, `layout.rs` | statements -> typed program, decoded once; places of variables, lines |
//! | `names.rs`, `opcode.rs`, `opcode_memory.rs`, `opcode_async.rs` | what names, operands and opcodes stand for |
//! | `program.rs`, `flow.rs` | the typed program; where diverged lanes meet again |
//! | `alu.rs`, `bits.rs`, `float.rs`, `convert.rs` | what arithmetic and conversions do |
//! | `rounding.rs` | floating-point arithmetic that rounds once, in every mode and format |
//! | `exec.rs` | runs a warp: what each instruction does, with the seven files below |
//! | `registers.rs`, `access.rs` | moves between registers; loads, stores and atomics |
//! | `block.rs`, `collective.rs`, `call.rs` | block barriers; shuffles, votes and warp barriers; calls |
//! | `copies.rs`, `mbarrier.rs` | asynchronous copies into shared memory, and the barriers that stand there |
//! | `fault.rs` | what is said where an instruction goes wrong |
//! | `warp.rs` | 32 lanes in lockstep: divergence, reconvergence, calls |
//! | `memory.rs`, `shared.rs` | state spaces, allocations, bounds; the variables of shared memory |
//! | `arguments.rs` | a launch's limits and arguments |
//! | `launch.rs`, `resident.rs` | grids in turn, child grids in their order; blocks, and the turns of their warps |
//! | `device.rs`, `runtime.rs` | what device code asks of the runtime: launches, `printf` |
//! | `progress.rs` | whether a launch gets on, or runs without end |
//! | `schedule.rs` | in which order blocks, warps and diverged lanes have their turns |
//! | `undefined.rs` | values that nobody has written, followed through registers and memory |
//! | `check/` | the observers that judge: races, barriers, child grids |
//! | `observe.rs` | the events of an execution; `counters.rs` listens and counts |
//! | `diagnostic.rs` | what is said when something is wrong |
//!
//! It has no clock, no thread and no file of its own: the same launch gives the same result every time.
//!
//! ```
//! use ptx_simulator::{Kind, LaunchConfig, Module, Simulator};
//!
//! // Every thread adds 1 to the same word, and not by an atomic addition.
//! let ptx = "
//!     .version 7.0
//!     .target sm_75
//!     .address_size 64
//!     .visible .entry count(.param .u64 total)
//!     {
//!         .reg .b32 %r<3>;
//!         .reg .b64 %rd<2>;
//!         ld.param.u64 %rd1, [total];
//!         ld.global.u32 %r1, [%rd1];
//!         add.s32 %r2, %r1, 1;
//!         st.global.u32 [%rd1], %r2;
//!         ret;
//!     }";
//! let module = Module::parse(ptx, "count.ptx")?;
//! let mut simulator = Simulator::new();
//! let total = simulator.alloc(4)?;
//! simulator.write(total, &[0; 4])?;
//!
//! let launched = simulator.launch_checked(&module, "count", LaunchConfig::new(1, 64), &[total]);
//! assert!(launched.completed);
//! assert_eq!(launched.counters.warp_instructions, 2 * 5);
//! assert!(launched.diagnostics.iter().any(|found| found.kind == Kind::DataRace));
//! # Ok::<(), Box<ptx_simulator::Diagnostic>>(())
//! ```

mod access;
mod alu;
mod arguments;
mod bits;
mod block;
mod call;
mod check;
mod collective;
mod convert;
mod copies;
mod counters;
mod decode;
mod device;
mod diagnostic;
mod exec;
mod fault;
mod float;
mod flow;
mod launch;
mod layout;
mod lexer;
mod mbarrier;
mod memory;
mod names;
pub mod observe;
mod opcode;
mod opcode_async;
mod opcode_memory;
mod parser;
mod program;
mod progress;
mod ptx;
mod registers;
mod resident;
mod rounding;
mod runtime;
mod schedule;
mod shared;
mod undefined;
mod warp;

use rustc_hash::FxHashMap;
use std::sync::Arc;

pub use arguments::check_config;
pub use counters::Counters;
pub use diagnostic::{Diagnostic, Kind, Severity, Site};
pub use program::{Order, Param, Scope};
pub use ptx::Space;

/// `cudaLimitDevRuntimePendingLaunchCount` unless it is set.
pub const DEFAULT_PENDING_LAUNCHES: u64 = 2048;
/// `cudaLimitDevRuntimeSyncDepth` unless it is set: the host's grid may wait for its children, and so may they.
pub const DEFAULT_SYNC_DEPTH: u32 = 2;
/// Bytes of shared memory a block can have: on compute capability 9.0, after raising the limit.
pub const MAX_SHARED: usize = 227 << 10;
/// The same without raising it, as for a device launch.
const MAX_STATIC_SHARED: usize = 48 << 10;

/// Grid and block of a launch, named as cudarc names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y, z.
    pub grid_dim: (u32, u32, u32),
    /// Threads a block in x, y, z.
    pub block_dim: (u32, u32, u32),
    /// Dynamic shared memory, in bytes a block.
    pub shared_mem_bytes: u32,
}

impl LaunchConfig {
    /// A grid of `grid` blocks of `block` threads, in one dimension, without dynamic shared memory.
    pub fn new(grid: u32, block: u32) -> LaunchConfig {
        LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (block, 1, 1), shared_mem_bytes: 0 }
    }
}

/// Parsed PTX, ready to launch. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Module {
    program: Arc<program::Program>,
}

impl Module {
    /// Reads PTX text. `name` stands in messages. The error names what is wrong and the PTX line.
    pub fn parse(ptx: &str, name: &str) -> Result<Module, Box<Diagnostic>> {
        Ok(Module { program: Arc::new(decode::decode(ptx, name)?) })
    }

    /// Names of the kernels (`.entry`), in the order of the text.
    pub fn kernels(&self) -> &[String] {
        &self.program.kernels
    }

    /// The parameters of `kernel`, if there is such a kernel.
    pub fn params(&self, kernel: &str) -> Option<&[Param]> {
        let function = &self.program.functions[*self.program.by_name.get(kernel)?];
        function.is_entry.then_some(&function.params[..])
    }

    /// Blocks of `kernel`, in the block of `config`, that are under way at a time: as many as threads, blocks and
    /// shared memory of an H200 allow. Registers are not counted, which belong to machine code.
    pub fn resident_blocks(&self, kernel: &str, config: &LaunchConfig) -> u32 {
        let of = |function: &usize| self.program.functions[*function].shared_bytes;
        let shared = self.program.by_name.get(kernel).map_or(0, of) + config.shared_mem_bytes as usize;
        launch::resident_blocks(config, shared)
    }

    /// File and line (from 1) of an event: what [`observe::Actor::loc`] stands for. `None` where there is no line table.
    pub fn source_line(&self, loc: u32) -> Option<(&str, u32)> {
        self.program.locs.get(loc as usize).map(|loc| (&*loc.file, loc.line))
    }
}

/// What came of a checked launch.
#[derive(Clone, Debug)]
pub struct Launched {
    pub counters: Counters,
    /// At most one for each kind and source line, in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the launch ran to its end; if not, one of the diagnostics says why.
    pub completed: bool,
}

/// The simulated device: its memory and its limits.
#[derive(Debug)]
pub struct Simulator {
    memory: memory::Memory,
    limits: launch::Limits,
    /// Modules whose variables have been laid out, with the variables' addresses.
    loaded: Vec<(Module, Vec<u64>)>,
    printed: String,
}

impl Default for Simulator {
    fn default() -> Simulator {
        Simulator::new()
    }
}

impl Simulator {
    pub fn new() -> Simulator {
        Simulator {
            memory: memory::Memory::default(),
            limits: launch::Limits {
                pending_launches: DEFAULT_PENDING_LAUNCHES,
                sync_depth: DEFAULT_SYNC_DEPTH,
                steps: None,
                schedule: 0,
            },
            loaded: Vec::new(),
            printed: String::new(),
        }
    }

    /// `bytes` bytes of global memory, contents undefined; the address is 256-byte aligned and never 0.
    pub fn alloc(&mut self, bytes: u64) -> Result<u64, Box<Diagnostic>> {
        self.memory.alloc(bytes, "").ok_or_else(|| {
            host_error(
                format!("no room for an allocation of {bytes} bytes"),
                "the simulated device has 4 GiB of memory, for at most 1,048,576 allocations",
            )
        })
    }

    /// Gives an allocation back; an address that is not the start of a live allocation is ignored.
    pub fn free(&mut self, address: u64) {
        self.memory.free(address);
    }

    /// Copies host bytes to device memory.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
        match self.memory.slice_mut(address, bytes.len()) {
            Ok(to) => {
                to.copy_from_slice(bytes);
                self.memory.define(address, bytes.len());
                Ok(())
            }
            Err(wrong) => Err(copy_error("to", bytes.len(), address, &wrong)),
        }
    }

    /// Copies device memory to the host.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Box<Diagnostic>> {
        match self.memory.slice(address, bytes.len()) {
            Ok(from) => {
                bytes.copy_from_slice(from);
                Ok(())
            }
            Err(wrong) => Err(copy_error("from", bytes.len(), address, &wrong)),
        }
    }

    /// Whether all of `bytes` bytes from `address` on have been written, by the host or by a kernel under checks;
    /// after a launch without checks every byte counts as written.
    pub fn is_defined(&self, address: u64, bytes: usize) -> bool {
        self.memory.defined_bytes(address, bytes) == bytes
    }

    /// `cudaLimitDevRuntimePendingLaunchCount`; 2,048 unless set.
    pub fn set_pending_launch_limit(&mut self, launches: u64) {
        self.limits.pending_launches = launches;
    }

    /// `cudaLimitDevRuntimeSyncDepth`; 2 unless set. Only device code of CUDA before 12 can wait at all.
    pub fn set_sync_depth_limit(&mut self, levels: u32) {
        self.limits.sync_depth = levels;
    }

    /// Most instructions that the warps of a launch may execute, child grids included; more is an endless loop. Unless
    /// it is set, 2^26 and 4,096 more for every warp; a launch under checks may not go on for so long without getting
    /// on (`progress.rs`).
    pub fn set_step_limit(&mut self, instructions: u64) {
        self.limits.steps = Some(instructions);
    }

    /// What device `printf` has written since the last call.
    pub fn take_printed(&mut self) -> String {
        std::mem::take(&mut self.printed)
    }

    /// Runs `kernel` of `module` to its end, child grids included. `args`: one cell a parameter, the value in its
    /// low bytes (a pointer is an address from [`Simulator::alloc`]). The first thing that is wrong stops the
    /// launch and comes back as a [`Diagnostic`].
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

    /// [`Simulator::launch`] that adds to `counters` also what was executed before something stopped it.
    pub fn launch_counted(
        &mut self,
        module: &Module,
        kernel: &str,
        config: LaunchConfig,
        args: &[u64],
        counters: &mut Counters,
    ) -> Result<(), Box<Diagnostic>> {
        self.run(module, kernel, config, args, counters)
    }

    fn run<O: observe::Watch>(
        &mut self,
        module: &Module,
        kernel: &str,
        config: LaunchConfig,
        args: &[u64],
        observer: &mut O,
    ) -> Result<(), Box<Diagnostic>> {
        let (number, params) = arguments::parameters(&module.program, kernel, &config, args)?;
        let loaded = self.load(module)?;
        let globals = &self.loaded[loaded].1;
        let mut engine = launch::Engine::new(
            &module.program,
            &mut self.memory,
            globals,
            observer,
            &mut self.printed,
            &self.limits,
        );
        let ended = engine.run(number, config, params);
        if !O::CHECKS {
            // What this kernel has written is not known.
            self.memory.define_all();
        }
        ended
    }

    /// [`Simulator::launch`] under the checks: everything that is wrong is listed, not only what stops the launch.
    pub fn launch_checked(
        &mut self,
        module: &Module,
        kernel: &str,
        config: LaunchConfig,
        args: &[u64],
    ) -> Launched {
        let mut counters = Counters::default();
        let mut found = Vec::new();
        let ended = self.launch_watched(module, kernel, config, args, &mut counters, &mut found);
        Launched { counters, completed: ended.is_ok(), diagnostics: found }
    }

    /// [`Simulator::launch_checked`] with an observer beside the checks. What is found is added to `found`, what stops
    /// the launch too; it comes back besides.
    pub fn launch_watched(
        &mut self,
        module: &Module,
        kernel: &str,
        config: LaunchConfig,
        args: &[u64],
        observer: &mut dyn observe::Observer,
        found: &mut Vec<Diagnostic>,
    ) -> Result<(), Box<Diagnostic>> {
        let mut names = FxHashMap::default();
        let loaded = self.load(module)?;
        for (variable, address) in module.program.globals.iter().zip(&self.loaded[loaded].1) {
            names.insert(memory::number_and_offset(*address).0, format!("`{}`", variable.name));
        }
        let params = module.params(kernel).unwrap_or_default();
        for (position, (arg, _)) in args.iter().zip(params).enumerate().filter(|(_, (_, p))| p.bytes == 8) {
            let (number, _) = memory::number_and_offset(*arg);
            names.entry(number).or_insert_with(|| format!("argument {position}"));
        }
        let mut both = (observer, check::Checker::new(&module.program, names));
        let ended = self.run(module, kernel, config, args, &mut both);
        found.extend(both.1.into_found());
        let Err(diagnostic) = ended else { return Ok(()) };
        found.push((*diagnostic).clone());
        Err(diagnostic)
    }

    /// The order in which blocks and warps have their turns: 0 is the plain one, any other number a shuffled one.
    pub fn set_schedule(&mut self, seed: u64) {
        self.limits.schedule = seed;
    }

    /// Lays out the module's variables, once.
    fn load(&mut self, module: &Module) -> Result<usize, Box<Diagnostic>> {
        if let Some(at) =
            self.loaded.iter().position(|(known, _)| Arc::ptr_eq(&known.program, &module.program))
        {
            return Ok(at);
        }
        let mut addresses = Vec::new();
        for variable in &module.program.globals {
            let address = self.memory.alloc(variable.bytes() as u64, &variable.name).ok_or_else(|| {
                host_error(format!("no room for the variable `{}`", variable.name), "make it smaller")
            })?;
            addresses.push(address);
        }
        for (variable, &address) in module.program.globals.iter().zip(&addresses) {
            let mut bytes = program::initial_bytes(variable, |name, generic| {
                let mut globals = module.program.globals.iter().zip(&addresses);
                let global = globals
                    .find(|(v, _)| v.name == name)
                    .map(|(v, address)| address + if generic { memory::window(v.space) } else { 0 });
                global.or_else(|| Some(program::FUNCTION_WINDOW + *module.program.by_name.get(name)? as u64))
            });
            // What has no initialiser is zero (PTX ISA 5.4.4).
            bytes.resize(variable.bytes(), 0);
            self.write(address, &bytes)?;
        }
        self.loaded.push((module.clone(), addresses));
        Ok(self.loaded.len() - 1)
    }
}

fn host_error(message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::of_host(Kind::OutOfBounds, None, message, help))
}

fn copy_error(direction: &str, bytes: usize, address: u64, wrong: &memory::Wrong) -> Box<Diagnostic> {
    let why = match wrong {
        memory::Wrong::NoAllocation => "where nothing has been allocated".to_string(),
        memory::Wrong::Freed => "in a buffer that has been freed".to_string(),
        memory::Wrong::Outside { offset, bytes } => format!("at byte {offset} of a buffer of {bytes} bytes"),
    };
    host_error(
        format!("a copy of {bytes} bytes {direction} device address {address:#x}, {why}"),
        "copy no more than the buffer holds",
    )
}
