//! Launches: the arguments, the checks against the kernel's PTX signature and the limits of a launch, and the start.

use anyhow::{Context, Result, bail, ensure};

use super::{
    Buffer, Code, Device, Function, Kind, LaunchConfig, MAX_SHARED_MEM_BYTES, Memory, OTHER_DEVICE, View,
};
use crate::device::cuda::Arguments;
use crate::device::graph::Step;
use crate::record::DeviceKind;
use crate::sim;

/// A launch that is being put together.
pub struct LaunchArgs<'a> {
    device: &'a Device,
    function: &'a Function,
    args: Vec<Arg>,
}

/// One argument: its bytes, and how many count.
#[derive(Clone, Copy)]
pub struct Arg {
    pub(super) cell: u64,
    size: usize,
    on: Option<DeviceKind>,
}

/// What a kernel takes: a [`Buffer`] or a [`View`] of one (as the address of its first element) or a number.
pub trait KernelArg {
    fn arg(&self) -> Arg;
}

impl<T> KernelArg for Buffer<T> {
    fn arg(&self) -> Arg {
        let on = match &self.memory {
            Memory::Gpu(_) => DeviceKind::Gpu,
            Memory::Sim { .. } => DeviceKind::Sim,
        };
        Arg { cell: self.address, size: 8, on: Some(on) }
    }
}

impl<T> KernelArg for View<'_, T> {
    fn arg(&self) -> Arg {
        Arg { cell: self.address(), ..self.buffer.arg() }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl KernelArg for $number {
            fn arg(&self) -> Arg {
                let mut cell = [0; 8];
                let bytes = self.to_le_bytes();
                cell[..bytes.len()].copy_from_slice(&bytes);
                Arg { cell: u64::from_le_bytes(cell), size: bytes.len(), on: None }
            }
        }
    )*};
}
numbers!(i32, u32, i64, u64, f32, f64);

impl<'a> LaunchArgs<'a> {
    pub(super) fn new(device: &'a Device, function: &'a Function) -> LaunchArgs<'a> {
        LaunchArgs { device, function, args: Vec::new() }
    }

    /// The next argument.
    pub fn arg(&mut self, arg: &impl KernelArg) -> &mut Self {
        self.args.push(arg.arg());
        self
    }

    /// Starts the kernel. On the simulator it runs to its end, child grids included, under all checks: what stops it
    /// comes back as a [`sim::Diagnostic`], what does not is in the [`Measurement`](crate::device::measure::Measurement); on a
    /// GPU it shows at the next synchronisation. A launch beyond the limits of every device is a [`sim::Diagnostic`] too, of the kind launch-limit.
    pub fn launch(&mut self, config: LaunchConfig) -> Result<()> {
        self.prepare(config)?.launch()
    }

    /// Starts the kernel with all its blocks under way at the same time, so that they may wait for each other
    /// (cooperative groups, `grid.sync()`). More blocks than fit are refused ([`Device::resident_blocks`]).
    pub fn launch_cooperative(&mut self, config: LaunchConfig) -> Result<()> {
        let (fit, (x, y, z)) = (self.device.resident_blocks(self.function, config)?, config.grid_dim);
        let launch = self.prepare(config)?;
        let blocks = u64::from(x) * u64::from(y) * u64::from(z);
        if blocks > fit.into() {
            let wrong = format!("a cooperative launch of {blocks} blocks, and {fit} fit at a time");
            return Err(beyond_limits(&self.function.name, wrong));
        }
        Prepared { cooperative: true, ..launch }.launch()
    }

    /// Checks the launch once, to be started many times with another first argument at the cost of the driver's call
    /// alone.
    pub fn prepare(&mut self, config: LaunchConfig) -> Result<Prepared<'a>> {
        let name = &self.function.name;
        check_config(config).map_err(|wrong| beyond_limits(name, format!("{wrong:#}")))?;
        check_args(&self.function.params, &self.args).with_context(|| format!("cannot launch {name}"))?;
        let here = match &self.device.kind {
            Kind::Gpu(_) => {
                !self.has_buffer_on(DeviceKind::Sim) && matches!(self.function.code, Code::Gpu(_))
            }
            Kind::Sim(_) => {
                !self.has_buffer_on(DeviceKind::Gpu) && matches!(self.function.code, Code::Sim(_))
            }
        };
        ensure!(here, "cannot launch {name}: {OTHER_DEVICE}");
        let args = Arguments::new(self.args.iter().map(|arg| arg.cell));
        Ok(Prepared { device: self.device, function: self.function, config, cooperative: false, args })
    }

    fn has_buffer_on(&self, kind: DeviceKind) -> bool {
        self.args.iter().any(|arg| arg.on == Some(kind))
    }
}

/// A launch that has been checked.
pub struct Prepared<'a> {
    device: &'a Device,
    function: &'a Function,
    config: LaunchConfig,
    cooperative: bool,
    args: Arguments,
}

impl Prepared<'_> {
    /// Starts the kernel, as [`LaunchArgs::launch`] does.
    pub fn launch(&self) -> Result<()> {
        match (&self.device.kind, &self.function.code) {
            (Kind::Gpu(gpu), Code::Gpu(function)) => {
                gpu.launch(function, self.config, &self.args, self.cooperative)
            }
            (Kind::Sim(_), Code::Sim(module)) => {
                let (module, kernel) = (module.clone(), self.function.name.clone());
                let cells = self.args.cells();
                self.device.step(Step::Launch { module, kernel, config: self.config, cells })
            }
            _ => bail!("cannot launch {}: {OTHER_DEVICE}", self.function.name),
        }
    }

    /// Its blocks and threads.
    pub fn config(&self) -> LaunchConfig {
        self.config
    }

    /// The same with `first` in the place of the first argument, which is a buffer or a view of one too.
    pub fn launch_on<T>(&self, first: &View<T>) -> Result<()> {
        self.args.set_first(first.address());
        self.launch()
    }
}

/// A launch that no device makes.
fn beyond_limits(kernel: &str, message: String) -> anyhow::Error {
    let help = "launch fewer threads at a time, and more often";
    anyhow::Error::new(sim::Diagnostic::of_host(sim::Kind::LaunchLimit, Some(kernel), message, help))
}

/// The limits of a launch that hold on every device.
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
        assert!(refusal(LaunchConfig::new(1, 1025)).contains("at most 1024"));
        assert!(refusal(LaunchConfig::new(0, 1)).contains("a grid of 0 x 1 x 1 blocks has no block"));
        let overflow = LaunchConfig { block_dim: (u32::MAX, u32::MAX, u32::MAX), ..LaunchConfig::new(1, 1) };
        assert!(refusal(overflow).contains("at most 1024"));
        let shared = LaunchConfig { shared_mem_bytes: 48 * 1024 + 1, ..LaunchConfig::new(1, 32) };
        assert!(refusal(shared).contains("at most 49152"));
    }

    #[test]
    fn arguments_are_checked_against_the_signature_by_name() {
        let params = [
            sim::Param { name: "g_data".into(), bytes: 8, offset: 0, kind: "u64".into() },
            sim::Param { name: "size".into(), bytes: 4, offset: 8, kind: "u32".into() },
        ];
        let arg = |size| Arg { cell: 0, size, on: None };
        assert!(check_args(&params, &[arg(8), arg(4)]).is_ok());
        let few = check_args(&params, &[arg(8)]).unwrap_err().to_string();
        assert!(few.contains("takes 2 arguments, 1 were given") && few.contains("size (4 bytes)"), "{few}");
        let wide = check_args(&params, &[arg(8), arg(8)]).unwrap_err().to_string();
        assert!(wide.contains("argument 1 (size) has 4 bytes, 8 were given"), "{wide}");
    }
}
