//! Launches: the arguments, the checks against the kernel's PTX signature and the limits of a launch, and the
//! start.

use anyhow::{Result, bail, ensure};
use kernel_compiler::misfit::Given;
use ptx_simulator::{self as sim, LaunchConfig};

use super::buffer::{Buffer, View};
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
                gpu.resident_blocks(code, x * y * z, config.shared_mem_bytes)
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
    args: Vec<Arg>,
}

/// One argument: its bytes, and how many of them count.
#[derive(Clone)]
pub struct Arg {
    /// In pieces of eight bytes.
    bits: Vec<u64>,
    /// In bytes.
    size: usize,
    /// The kind of device that can take it, if not every one can: an address is that of one device.
    on: Option<DeviceKind>,
}

impl Arg {
    /// A number of `size` bytes, in the low ones of `bits`.
    pub fn number(bits: u64, size: usize) -> Arg {
        Arg { bits: vec![bits], size, on: None }
    }

    /// A structure; on the simulator only.
    pub fn bytes(bytes: &[u8]) -> Arg {
        let piece = |part: &[u8]| part.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        Arg { bits: bytes.chunks(8).map(piece).collect(), size: bytes.len(), on: Some(DeviceKind::Sim) }
    }
}

impl Arg {
    /// As a sentence names it.
    fn given(&self) -> Given {
        if self.on.is_some() && self.size == 8 { Given::Address } else { Given::Bytes(self.size) }
    }
}

/// What a kernel takes: a [`Buffer`] or a [`View`] of one (as the address of its first element) or a number.
pub trait KernelArg {
    /// Its value, as a launch takes it.
    fn arg(&self) -> Arg;
}

impl KernelArg for Arg {
    fn arg(&self) -> Arg {
        self.clone()
    }
}

impl<T> KernelArg for Buffer<T> {
    fn arg(&self) -> Arg {
        self.slice(0..).arg()
    }
}

impl<T> KernelArg for View<'_, T> {
    fn arg(&self) -> Arg {
        Arg { bits: vec![self.address()], size: 8, on: Some(self.buffer.on()) }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl KernelArg for $number {
            fn arg(&self) -> Arg {
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
    pub fn arg(&mut self, arg: &impl KernelArg) -> &mut Self {
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
        self.prepare(config)?.launch()
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
        let is_here = |arg: &Arg| arg.on.is_none_or(|on| Some(on) == here);
        ensure!(here.is_some() && self.args.iter().all(is_here), "cannot launch {name}: {OTHER_DEVICE}");
        let args = self.args.iter().flat_map(|arg| arg.bits.iter().copied()).collect();
        Ok(Prepared { device: self.device, function: self.function, config, how: How::Plain, args })
    }
}

/// A launch that has been checked.
pub struct Prepared<'a> {
    pub(super) device: &'a Device,
    pub(super) function: &'a Function,
    /// Its blocks and threads.
    pub config: LaunchConfig,
    pub(super) how: How,
    /// One per parameter, the value in its low bytes; several for a structure.
    pub(super) args: Vec<u64>,
}

impl Prepared<'_> {
    /// Starts the kernel, as [`LaunchArgs::launch`] does.
    ///
    /// # Errors
    /// What goes wrong as it runs.
    pub fn launch(&self) -> Result<()> {
        self.launch_with(&self.args, self.how)
    }

    /// Starts it as a programmatic dependent launch of what is in front of it.
    pub(super) fn launch_dependent(&self) -> Result<()> {
        self.launch_with(&self.args, How::Dependent)
    }

    /// The same with `first` in the place of the first argument, which is a buffer or a view of one too.
    ///
    /// # Errors
    /// Of [`Prepared::launch`].
    pub fn launch_on<T>(&self, first: &View<T>) -> Result<()> {
        let mut args = self.args.clone();
        if let Some(arg) = args.first_mut() {
            *arg = first.address();
        }
        self.launch_with(&args, self.how)
    }

    fn launch_with(&self, args: &[u64], how: How) -> Result<()> {
        match (&self.device.kind, &self.function.code) {
            (Kind::Gpu(gpu), Code::Gpu(function)) => gpu.launch(function, self.config, args, how),
            (Kind::Sim(simulator), Code::Sim(module)) => {
                let module = module.clone();
                let kernel = self.function.name.clone();
                let args = args.to_vec();
                simulator.enqueue(Step::Launch { module, kernel, config: self.config, args })
            }
            _ => bail!("cannot launch {}: {OTHER_DEVICE}", self.function.name),
        }
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
fn check_args(params: &[sim::Param], args: &[Arg]) -> Result<()> {
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
