//! Launches: the arguments, the checks against the kernel's PTX signature and the limits of a launch, and the
//! start.
//!
//! A launch that has been checked holds its buffers, and so does an argument:
//!
//! ```compile_fail,E0505
//! # use device::{Device, Function, LaunchConfig};
//! # fn launch(device: &Device, kernel: &Function) -> anyhow::Result<()> {
//! let numbers = device.clone_htod(&[1; 64])?;
//! let prepared = device.launch_builder(kernel).arg(&numbers).prepare(LaunchConfig::new(1, 32))?;
//! drop(numbers);
//! prepared.launch()
//! # }
//! ```
//!
//! ```compile_fail,E0505
//! # use device::{Device, KernelArg};
//! # fn argument(device: &Device) -> anyhow::Result<()> {
//! let numbers = device.clone_htod(&[1; 64])?;
//! let arg = numbers.arg();
//! drop(numbers);
//! let copy = arg.clone();
//! # Ok(())
//! # }
//! ```

use std::rc::Rc;

use anyhow::{Result, bail, ensure};
use cuda_source::misfit::Given;
use ptx_simulator::{self as sim, LaunchConfig};

use super::buffer::{Buffer, Memory, View};
use super::cuda;
use super::device::{Device, Kind, OTHER_DEVICE};
use super::fault::How;
use super::module::{Code, Function};
use super::simulator::Step;
use crate::info::DeviceKind;

/// Threads per block, at most (CUDA C++ Programming Guide, "Technical Specifications").
pub const MAX_BLOCK: u32 = 1024;
/// Blocks in a grid along x, at most; along y and z it is 65,535.
pub const MAX_GRID: u32 = i32::MAX as u32;
/// Shared memory per block that a launch on a GPU may ask for without opting in to more, in bytes.
pub const MAX_SHARED_MEM_BYTES: u32 = 48 * 1024;

impl Device {
    /// Begins a launch of `function`: `.arg(&…)` for each parameter in order, then `.launch(config)`.
    pub fn launch_builder<'a>(&'a self, function: &'a Function) -> LaunchArgs<'a> {
        LaunchArgs { device: self, function, args: Vec::new() }
    }

    /// Blocks of `function`, in the block of `config`, that the device holds at a time: the largest grid of a
    /// cooperative launch. The simulator holds as many as an H200.
    ///
    /// # Errors
    /// The kernel is another device's.
    pub fn resident_blocks(&self, function: &Function, config: LaunchConfig) -> Result<u32> {
        match (&self.kind, &function.code) {
            (Kind::Gpu(gpu), Code::Gpu(code)) => {
                let (x, y, z) = config.block_dim;
                let threads = x.saturating_mul(y).saturating_mul(z);
                gpu.resident_blocks(code, threads, config.shared_mem_bytes)
            }
            (Kind::Sim(simulator), Code::Sim(module)) => {
                Ok(simulator.core.borrow().resident_blocks(module, &function.name, &config))
            }
            _ => bail!(OTHER_DEVICE),
        }
    }
}

/// A launch that is being put together.
pub struct LaunchArgs<'a> {
    device: &'a Device,
    function: &'a Function,
    args: Vec<Arg<'a>>,
}

/// One argument: its bytes, how many of them count, and what it leads to, which it holds.
#[derive(Clone)]
pub struct Arg<'a> {
    bits: Bits,
    /// In bytes.
    size: usize,
    of: Of<'a>,
}

/// The bytes of an argument, in words of eight. Most have one, which a timed launch need not allocate.
#[derive(Clone)]
enum Bits {
    Word(u64),
    Words(Vec<u64>),
}

impl Bits {
    fn words(&self) -> &[u64] {
        match self {
            Bits::Word(word) => std::slice::from_ref(word),
            Bits::Words(words) => words,
        }
    }
}

/// What an argument is.
#[derive(Clone)]
enum Of<'a> {
    Number,
    /// Its addresses are the simulator's.
    Structure,
    /// An address there, of elements of this many bytes.
    Memory(&'a Rc<Memory>, usize),
    Graph(&'a Rc<cuda::Graph>),
}

impl<'a> Arg<'a> {
    /// A number of `size` bytes, in the low ones of `bits`.
    pub fn number(bits: u64, size: usize) -> Arg<'a> {
        Arg { bits: Bits::Word(bits), size, of: Of::Number }
    }

    /// A structure; on the simulator only.
    pub fn bytes(bytes: &[u8]) -> Arg<'a> {
        let piece = |part: &[u8]| part.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let words = bytes.chunks(8).map(piece).collect();
        Arg { bits: Bits::Words(words), size: bytes.len(), of: Of::Structure }
    }

    /// The address `offset` bytes after the start of `buffer`, within it or not.
    pub fn pointer<T>(buffer: &'a Buffer<T>, offset: u64) -> Arg<'a> {
        let address = buffer.memory.address().wrapping_add(offset);
        Arg { bits: Bits::Word(address), size: 8, of: Of::Memory(&buffer.memory, size_of::<T>()) }
    }

    pub(super) fn graph(handle: u64, graph: &'a Rc<cuda::Graph>) -> Arg<'a> {
        Arg { bits: Bits::Word(handle), size: 8, of: Of::Graph(graph) }
    }

    /// The kind of device that can take it, if not every one can.
    fn on(&self) -> Option<DeviceKind> {
        match self.of {
            Of::Number => None,
            Of::Structure => Some(DeviceKind::Sim),
            Of::Memory(memory, _) => Some(memory.on()),
            Of::Graph(_) => Some(DeviceKind::Gpu),
        }
    }

    /// As a sentence names it.
    fn given(&self) -> Given {
        if matches!(self.of, Of::Memory(..)) { Given::Address } else { Given::Bytes(self.size) }
    }

    /// Says that work of `device` will use it.
    fn note(&self, device: &Device) -> Result<()> {
        let Of::Memory(memory, _) = self.of else { return Ok(()) };
        device.gpu().zip(memory.on_gpu()).map_or(Ok(()), |(gpu, memory)| gpu.uses(memory))
    }

    /// Gives a share of it to the graph that `device` captures, if it does.
    fn keep_on(&self, device: &Device) {
        match self.of {
            Of::Number | Of::Structure => {}
            Of::Memory(memory, _) => device.keep(memory),
            Of::Graph(graph) => device.keep(graph),
        }
    }
}

/// What a kernel takes: a [`Buffer`] or a [`View`] of one (as the address of its first element) or a number.
pub trait KernelArg<'a> {
    /// Its value, as a launch takes it.
    fn arg(self) -> Arg<'a>;
}

impl<'a> KernelArg<'a> for &Arg<'a> {
    fn arg(self) -> Arg<'a> {
        self.clone()
    }
}

impl<'a, T> KernelArg<'a> for &'a Buffer<T> {
    fn arg(self) -> Arg<'a> {
        Arg::pointer(self, 0)
    }
}

impl<'a, T> KernelArg<'a> for &View<'a, T> {
    fn arg(self) -> Arg<'a> {
        Arg::pointer(self.buffer, self.address() - self.buffer.memory.address())
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl<'a> KernelArg<'a> for &$number {
            fn arg(self) -> Arg<'a> {
                let mut bits = [0; 8];
                let bytes = self.to_le_bytes();
                bits[..bytes.len()].copy_from_slice(&bytes);
                Arg::number(u64::from_le_bytes(bits), bytes.len())
            }
        }
    )*};
}
numbers!(i32, u32, i64, u64, f32, f64);

impl<'a> LaunchArgs<'a> {
    /// The next argument.
    pub fn arg(&mut self, arg: impl KernelArg<'a>) -> &mut Self {
        self.args.push(arg.arg());
        self
    }

    /// Starts the kernel. On the simulator it runs to its end, child grids included, under the checks that
    /// are on; what they find is in the [`Measurement`](super::measure::Measurement). On a GPU it may not
    /// have begun yet.
    ///
    /// # Errors
    /// Arguments that do not fit the kernel's signature; a launch beyond the limits of the device, as a
    /// [`sim::Diagnostic`] of the kind launch-limit; what stops the kernel on the simulator, as a
    /// [`sim::Diagnostic`] too. On a GPU that shows at the next synchronisation.
    pub fn launch(&mut self, config: LaunchConfig) -> Result<()> {
        let values = self.checked(config)?;
        start(self.device, self.function, config, How::Plain, &values)?;
        self.args.iter().for_each(|arg| arg.keep_on(self.device));
        Ok(())
    }

    /// Starts the kernel with all its blocks under way at the same time, so that they may wait for each other
    /// (cooperative groups, `grid.sync()`).
    ///
    /// # Errors
    /// Of [`LaunchArgs::launch`]; and more blocks than fit ([`Device::resident_blocks`]).
    pub fn launch_cooperative(&mut self, config: LaunchConfig) -> Result<()> {
        let fit = self.device.resident_blocks(self.function, config)?;
        let (x, y, z) = config.grid_dim;
        let launch = self.prepare(config)?;
        let blocks = u64::from(x) * u64::from(y) * u64::from(z);
        if blocks > fit.into() {
            let wrong = format!("a cooperative launch of {blocks} blocks, and {fit} fit at a time");
            return Err(beyond_limits(&self.function.name, wrong));
        }
        Prepared { how: How::Cooperative, ..launch }.launch()
    }

    /// Checks the launch once, to be started many times, with another first argument too.
    ///
    /// # Errors
    /// Of [`LaunchArgs::launch`], before anything runs.
    pub fn prepare(&mut self, config: LaunchConfig) -> Result<Prepared<'a>> {
        let values = self.checked(config)?;
        let args = self.args.clone();
        Ok(Prepared { device: self.device, function: self.function, config, how: How::Plain, args, values })
    }

    /// The values of the arguments, one per parameter or several for a structure, if they fit.
    fn checked(&self, config: LaunchConfig) -> Result<Vec<u64>> {
        let Function { name, params, code, .. } = self.function;
        // The simulator says so itself, in the same words.
        if let Kind::Gpu(_) = self.device.kind {
            check_config(config).map_err(|wrong| beyond_limits(name, format!("{wrong:#}")))?;
        }
        if let Err(why) = check_args(params, &self.args) {
            let given: Vec<Given> = self.args.iter().map(Arg::given).collect();
            let misfit = self.function.misfit(&given);
            return Err(
                misfit.map_or_else(|| why.context(format!("cannot launch {name}")), anyhow::Error::new)
            );
        }
        self.function.check_order()?;
        let here = match (&self.device.kind, code) {
            (Kind::Gpu(_), Code::Gpu(_)) => Some(DeviceKind::Gpu),
            (Kind::Sim(_), Code::Sim(_)) => Some(DeviceKind::Sim),
            _ => None,
        };
        let is_here = |arg: &Arg| arg.on().is_none_or(|on| Some(on) == here);
        ensure!(here.is_some() && self.args.iter().all(is_here), "cannot launch {name}: {OTHER_DEVICE}");
        self.args.iter().try_for_each(|arg| arg.note(self.device))?;
        Ok(self.args.iter().flat_map(|arg| arg.bits.words()).copied().collect())
    }
}

/// A launch that has been checked. It holds its buffers.
pub struct Prepared<'a> {
    pub(super) device: &'a Device,
    pub(super) function: &'a Function,
    /// Its blocks and threads.
    pub config: LaunchConfig,
    pub(super) how: How,
    args: Vec<Arg<'a>>,
    /// One per parameter, the value in its low bytes; several for a structure.
    pub(super) values: Vec<u64>,
}

impl Prepared<'_> {
    /// Starts the kernel, as [`LaunchArgs::launch`] does.
    ///
    /// # Errors
    /// What goes wrong as it runs.
    pub fn launch(&self) -> Result<()> {
        self.launch_with(&self.values, self.how)
    }

    /// Starts it as a programmatic dependent launch of what is in front of it.
    pub(super) fn launch_dependent(&self) -> Result<()> {
        self.launch_with(&self.values, How::Dependent)
    }

    /// The same with `first` in the place of the first argument, which is a buffer or a view of one too.
    ///
    /// # Errors
    /// Of [`Prepared::launch`]; the first argument is a number, or has elements of another size, or is
    /// another device's.
    pub fn launch_on<T>(&self, first: &View<T>) -> Result<()> {
        let name = &self.function.name;
        let arg = first.arg();
        let Some(Of::Memory(memory, bytes)) = self.args.first().map(|arg| &arg.of) else {
            bail!("cannot launch {name} on another buffer: its first argument is not one")
        };
        let given = size_of::<T>();
        ensure!(*bytes == given, "cannot launch {name} on elements of {given} bytes: its own have {bytes}");
        ensure!(arg.on() == Some(memory.on()), "cannot launch {name}: {OTHER_DEVICE}");
        arg.note(self.device)?;
        let mut values = self.values.clone();
        values[0] = first.address(); // it is an address, so it has one word
        self.launch_with(&values, self.how)?;
        arg.keep_on(self.device);
        Ok(())
    }

    fn launch_with(&self, values: &[u64], how: How) -> Result<()> {
        start(self.device, self.function, self.config, how, values)?;
        self.args.iter().for_each(|arg| arg.keep_on(self.device));
        Ok(())
    }
}

/// Starts a launch whose arguments have been checked, and whose memory is noted as used.
fn start(device: &Device, function: &Function, config: LaunchConfig, how: How, values: &[u64]) -> Result<()> {
    match (&device.kind, &function.code) {
        (Kind::Gpu(gpu), Code::Gpu(code)) => {
            // SAFETY: the arguments fit the signature. The memory that they lead to is noted as used, and who
            // loaded the module has promised that its kernels reach no other.
            unsafe { gpu.launch(code, config, values, how)? };
            device.keep(code);
            Ok(())
        }
        (Kind::Sim(simulator), Code::Sim(module)) => {
            let module = module.clone();
            let kernel = function.name.clone();
            simulator.enqueue(Step::Launch { module, kernel, config, args: values.to_vec() })
        }
        _ => bail!("cannot launch {}: {OTHER_DEVICE}", function.name),
    }
}

/// A launch that no device makes.
fn beyond_limits(kernel: &str, message: String) -> anyhow::Error {
    let help = "launch fewer threads at a time, and more often";
    anyhow::Error::new(sim::Diagnostic::of_host(sim::Kind::LaunchLimit, Some(kernel), message, help))
}

/// The limits of a launch on a GPU.
fn check_config(config: LaunchConfig) -> Result<()> {
    sim::check_config(&config).map_err(anyhow::Error::msg)?;
    ensure!(
        config.shared_mem_bytes <= MAX_SHARED_MEM_BYTES,
        "{} bytes of dynamic shared memory are too many; a block has at most {MAX_SHARED_MEM_BYTES}",
        config.shared_mem_bytes
    );
    Ok(())
}

/// Number and sizes of the arguments, against the kernel's PTX signature.
fn check_args(params: &[sim::Param], args: &[Arg<'_>]) -> Result<()> {
    if params.len() != args.len() {
        let names: Vec<_> =
            params.iter().map(|param| format!("{} ({} bytes)", param.name, param.bytes)).collect();
        bail!("it takes {} arguments, {} were given: {}", params.len(), args.len(), names.join(", "));
    }
    for (position, (param, arg)) in params.iter().zip(args).enumerate() {
        ensure!(
            param.bytes == arg.size,
            "argument {} ({}) has {} bytes, {} were given",
            position,
            param.name,
            param.bytes,
            arg.size
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(config: LaunchConfig) -> String {
        check_config(config).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn launches_out_of_range_are_refused_with_the_reason() {
        assert_eq!(refusal(LaunchConfig::new(1, 1024)), "");
        assert!(refusal(LaunchConfig::new(1, 0)).contains("has no thread"));
        assert!(refusal(LaunchConfig::new(1, 1025)).contains("at most 1,024"));
        assert!(refusal(LaunchConfig::new(0, 1)).contains("a grid of 0 x 1 x 1 blocks has no block"));
        let overflow = LaunchConfig { block_dim: (u32::MAX, u32::MAX, u32::MAX), ..LaunchConfig::new(1, 1) };
        assert!(refusal(overflow).contains("at most 1,024"));
        let shared = LaunchConfig { shared_mem_bytes: 48 * 1024 + 1, ..LaunchConfig::new(1, 32) };
        assert!(refusal(shared).contains("at most 49152"));
    }

    #[test]
    fn arguments_are_checked_against_the_signature_by_name() {
        let params = [
            sim::Param { name: "g_data".into(), bytes: 8, offset: 0, kind: "u64".into() },
            sim::Param { name: "size".into(), bytes: 4, offset: 8, kind: "u32".into() },
        ];
        let arg = |size| Arg::number(0, size);
        assert!(check_args(&params, &[arg(8), arg(4)]).is_ok());
        let few = check_args(&params, &[arg(8)]).unwrap_err().to_string();
        assert!(few.contains("takes 2 arguments, 1 were given") && few.contains("size (4 bytes)"), "{few}");
        let wide = check_args(&params, &[arg(8), arg(8)]).unwrap_err().to_string();
        assert!(wide.contains("argument 1 (size) has 4 bytes, 8 were given"), "{wide}");
    }
}
