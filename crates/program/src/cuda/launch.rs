//! Launches: parameters, limits, and what became of them.

use device::Called;
use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{
    Diagnostic, Kind, Launch, LaunchConfig, Limit, Module, Owner, Severity, Site, What, Words, count_in,
};
use text::number::thousands;

use super::device::Limits;
use super::error::{Error, Errors, Unasked};
use super::launches::{KernelRun, Launches};
use super::names::by_name;
use super::queue::{Issued, Kernel, Queue, Work};
use super::shape::{Shape, numbers};
use super::touched::Listener;
use crate::constants::{constant_for, is_head_of_loop, make_smaller};
use crate::outside::Standard;
use crate::runtime::{Natives_, Runtime, Timed, bytes};

pub const NATIVES: &Natives_ = &[
    ("cudaGetParameterBuffer", parameter_buffer),
    ("cudaLaunchDevice", launch_device),
    ("cudaLaunchKernel", launch_kernel),
    ("cudaLaunchCooperativeKernel", launch_cooperative),
    ("cudaLaunchKernelExC", launch_with_attributes),
];

/// What the attributes of a launch say.
#[derive(Clone, Copy, Debug, Default)]
struct How {
    cluster: Option<(u32, u32, u32)>,
    /// Whether it may begin before the kernel in front of it has ended.
    overlaps: bool,
    /// Whether all its blocks are under way at the same time.
    is_cooperative: bool,
}

/// Memory for the parameters of a launch: `(alignment, bytes)`.
fn parameter_buffer(_: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let address = call.simulator.alloc_for(Owner::Heap, call.long(1).max(1), "the parameters of a launch");
    Ok(Given::Long(address.unwrap_or(0)))
}

/// `k<<<grid, block, shared, stream>>>(…)`: `(kernel, parameters, grid, block, shared, stream)`.
fn launch_device(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let config =
        LaunchConfig { grid_dim: dim(call, 2), block_dim: dim(call, 3), shared_mem_bytes: call.word(4) };
    let buffer = call.long(1);
    let params = match call.simulator.allocation(buffer) {
        Some((_, size, _)) => bytes(call, buffer, size as usize)?,
        None => Vec::new(),
    };
    call.simulator.free(buffer);
    let error = launch(runtime, call, call.long(0), config, call.long(5), params, How::default())?;
    // A launch returns nothing: `cudaGetLastError` has its error.
    _ = error;
    Ok(Given::Word(0))
}

/// `(kernel, grid, block, arguments, shared, stream)`
fn launch_kernel(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    launch_how(runtime, call, How::default())
}

fn launch_how(runtime: &mut Runtime, call: &mut Call, how: How) -> Result<Given, Stop> {
    let config = LaunchConfig {
        grid_dim: dim(call, 1),
        block_dim: dim(call, 2),
        shared_mem_bytes: call.long(4) as u32,
    };
    let params = gathered(runtime, call, call.long(0), call.long(3))?;
    let error = launch(runtime, call, call.long(0), config, call.long(5), params, how)?;
    Ok(runtime.kept.get::<Errors>().give(error))
}

/// As [`launch_kernel`], with all blocks under way at the same time.
fn launch_cooperative(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    launch_how(runtime, call, How { is_cooperative: true, ..How::default() })
}

/// `cudaLaunchKernelExC(config, kernel, arguments)`
fn launch_with_attributes(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    /// `cudaLaunchConfig_t` and `cudaLaunchAttribute` (`driver_types.h`).
    const CONFIG: usize = 56;
    const ATTRIBUTE: u64 = 72;
    const COOPERATIVE: u32 = 2;
    const CLUSTER: u32 = 4;
    const PROGRAMMATIC: u32 = 6;
    let raw = bytes(call, call.long(0), CONFIG)?;
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
    let long = |at: usize| u64::from_le_bytes(raw[at..at + 8].try_into().unwrap_or_default());
    let three = |bytes: &[u8], at: usize| (word(bytes, at), word(bytes, at + 4), word(bytes, at + 8));
    let config = LaunchConfig {
        grid_dim: three(&raw, 0),
        block_dim: three(&raw, 12),
        shared_mem_bytes: long(24) as u32,
    };
    let mut how = How::default();
    for number in 0..u64::from(word(&raw, 48)) {
        let attribute = bytes(call, long(40).wrapping_add(number * ATTRIBUTE), ATTRIBUTE as usize)?;
        match word(&attribute, 0) {
            COOPERATIVE => how.is_cooperative = word(&attribute, 8) != 0,
            CLUSTER => how.cluster = Some(three(&attribute, 8)),
            PROGRAMMATIC => how.overlaps = word(&attribute, 8) != 0,
            _ => {}
        }
    }
    let stream = long(32);
    let params = gathered(runtime, call, call.long(1), call.long(2))?;
    let error = launch(runtime, call, call.long(1), config, stream, params, how)?;
    Ok(runtime.kept.get::<Errors>().give(error))
}

/// `dim3` of argument `number`.
fn dim(call: &Call, number: usize) -> (u32, u32, u32) {
    let axis = |axis: usize| call.part(number, 4 * axis, 4) as u32;
    (axis(0), axis(1), axis(2))
}

/// The parameters of a kernel from a list of pointers to them.
fn gathered(runtime: &Runtime, call: &mut Call, kernel: u64, list: u64) -> Result<Vec<u8>, Stop> {
    let Some(name) = call.host.name_at(kernel).map(str::to_string) else { return Ok(Vec::new()) };
    let mut params = Vec::new();
    for (number, param) in (0..).zip(runtime.module.params(&name).unwrap_or_default()) {
        let pointer = bytes(call, list.wrapping_add(8 * number), 8)?;
        let pointer = u64::from_le_bytes(pointer.try_into().unwrap_or_default());
        let value = bytes(call, pointer, param.bytes)?;
        params.resize(param.offset, 0);
        params.extend(value);
    }
    Ok(params)
}

/// A launch has failed: how that is said depends on whether the program asks for the error.
fn unasked(runtime: &mut Runtime, call: &Call, error: Error, what: &str, help: &str) {
    let found = *call.host.fault(Kind::LaunchLimit, what, help);
    let found = Timed { at: runtime.now, found };
    runtime.kept.get::<Errors>().unasked.push(Unasked::new(found, error));
}

/// What to do about a launch that goes beyond a limit.
fn help_on(limit: Limit, config: &LaunchConfig) -> &'static str {
    /// Threads that a block may have.
    const MOST: u64 = 1024;
    match limit {
        Limit::Shape if count_in(config.grid_dim) == 0 => {
            "a division of whole numbers rounds down, here to 0: (n + block - 1) / block is rounded up"
        }
        Limit::Shape if count_in(config.block_dim) > MOST => {
            "launch more blocks of fewer threads, and count them in the index: blockIdx.x * blockDim.x + \
             threadIdx.x"
        }
        Limit::SharedMemory => {
            "use less shared memory, or ask for more before the launch: cudaFuncSetAttribute(kernel, \
             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), where the GPU has it"
        }
        _ => "choose another grid or block",
    }
}

/// Puts a launch into its stream: the error if it cannot be.
fn launch(
    runtime: &mut Runtime,
    call: &mut Call,
    function: u64,
    config: LaunchConfig,
    stream: u64,
    params: Vec<u8>,
    How { cluster, overlaps, is_cooperative }: How,
) -> Result<Error, Stop> {
    if let Some(error) = runtime.kept.get::<Errors>().sticky {
        return Ok(error);
    }
    let name = call.host.name_at(function).unwrap_or_default().to_string();
    if runtime.module.params(&name).is_none() {
        let what =
            format!("a launch of something that is not a kernel: {}", Error::InvalidDeviceFunction.said());
        runtime.find(call, Kind::LaunchLimit, Severity::Error, what, "launch a __global__ function");
        runtime.kept.get::<Errors>().keep(Error::InvalidDeviceFunction);
        return Ok(Error::InvalidDeviceFunction);
    }
    if !runtime.kept.get::<Queue>().has_stream(stream) {
        return Ok(runtime.no_stream(call, stream, "the launch"));
    }
    let most = runtime.kept.get::<Limits>().dynamic_shared(&name);
    let kernel = Kernel { name, config, cluster, params, overlaps };
    let check = |config: &LaunchConfig| {
        call.simulator.check_launch(runtime.module, &kernel.name, config, cluster, most)
    };
    if let Err((limit, why)) = check(&config) {
        let shape = Shape::of(runtime, call, &kernel, call.host.place().as_ref());
        let exchanged = shape.grid_for_block().filter(|exchanged| check(&exchanged.config).is_ok());
        let shape = Shape { failed: true, ..shape };
        runtime.gives(call, |_| shape, &pieces(runtime.module, &kernel));
        let error = match limit {
            // As CUDA 13 answers on an H100; CUDA 12 gave cudaErrorInvalidConfiguration for a shape.
            Limit::Shape | Limit::SharedMemory => Error::InvalidValue,
            Limit::CompiledFor | Limit::Calls => Error::InvalidConfiguration,
        };
        runtime.kept.get::<Errors>().keep(error);
        let what = format!("this launch failed, and the kernel did not run: {why}");
        let help = match exchanged {
            Some(exchanged) => format!(
                "grid and block look exchanged: {} fits what `{}` is given",
                exchanged.said(),
                kernel.name
            ),
            None => help_on(limit, &config).to_string(),
        };
        unasked(runtime, call, error, &what, &help);
        return Ok(error);
    }
    let resident = call.simulator.resident_blocks(runtime.module, &kernel.name, &config);
    if is_cooperative && count_in(config.grid_dim) > resident.into() {
        let error = Error::CooperativeLaunchTooLarge;
        runtime.kept.get::<Errors>().keep(error);
        let what = format!(
            "a cooperative launch of {} blocks, of which {resident} fit at the same time: {}",
            count_in(config.grid_dim),
            error.said()
        );
        let help = "launch at most as many blocks as cudaOccupancyMaxActiveBlocksPerMultiprocessor says, \
                    times the multiprocessors";
        unasked(runtime, call, error, &what, help);
        return Ok(error);
    }
    if !is_cooperative && runtime.module.synchronises_its_grid(&kernel.name) {
        let what = format!(
            "`{}` has a barrier of its whole grid, and this launch is not cooperative: on a GPU the kernel \
             ends with an error at grid.sync()",
            kernel.name
        );
        let help = "launch it by cudaLaunchCooperativeKernel, with no more blocks than fit at the same time";
        runtime.find(call, Kind::LaunchLimit, Severity::Warning, what, help);
    }
    let args = firsts(runtime.module, &kernel, &pieces(runtime.module, &kernel));
    if let Some(name) = args.iter().find_map(|address| by_name(runtime, call, *address)) {
        let what = format!(
            "`{name}` in host code is not its address on the device: on a GPU `{}` would be given an address \
             that it cannot use",
            kernel.name
        );
        let help = "use it by its name in the kernel, or ask cudaGetSymbolAddress for its address";
        runtime.find(call, Kind::HostAccess, Severity::Error, what, help);
    }
    runtime.kept.get::<Queue>().issue(stream, Work::Kernel(kernel), Issued::by(call));
    call.simulator.note_host(true);
    runtime.kept.get::<Errors>().launched();
    Ok(Error::Success)
}

impl Runtime<'_> {
    /// Runs the kernel of an operation, which was launched at `place`.
    ///
    /// # Errors
    /// The launches have executed more instructions than they may.
    pub fn run_kernel(
        &mut self,
        call: &mut Call,
        kernel: &Kernel,
        place: Option<&(String, u32)>,
        mut listener: Option<&mut Listener>,
    ) -> Result<(), Stop> {
        let executed: u64 =
            self.kept.get::<Launches>().kernels.iter().map(|known| known.counters.warp_instructions).sum();
        let left = self.warp_limit.map(|limit| limit.saturating_sub(executed));
        call.simulator.set_step_limit(left);
        let args = pieces(self.module, kernel);
        self.gives(call, |runtime| Shape::of(runtime, call, kernel, place), &args);
        let numbers = numbers(self.module, kernel)
            .map(|number| number.filter(|number| call.simulator.allocation(*number).is_none()))
            .collect();
        let aside = call.simulator.set_host_aside();
        call.simulator.set_cluster(kernel.cluster);
        self.device.call_arguments(called(call, self.module, kernel, &args));
        let launch = Launch { kernel: &kernel.name, config: kernel.config, args: &args };
        let also = listener.as_mut().map(|listener| *listener as &mut dyn ptx_simulator::observe::Observer);
        let ended = self.device.launch_whole(call.simulator, self.module, &launch, also);
        call.simulator.set_cluster(None);
        call.simulator.bring_host_back(aside);
        let printed = call.simulator.take_printed();
        self.print(Standard::Out, printed.as_bytes());
        let launches = self.kept.get::<Launches>();
        launches.is_heard |= !printed.is_empty();
        if !args.is_empty() {
            launches.first = launches.first.take().or(place.cloned());
        }
        let (counters, _) = self.device.seen.take();
        let of_this_launch = counters.warp_instructions;
        let is_spent = left.is_some_and(|left| of_this_launch >= left);
        let known = self.kept.get::<Launches>().kernels.iter_mut().find(|known| known.kernel == kernel.name);
        match known {
            Some(known) => {
                known.launches += 1;
                known.counters += &counters;
            }
            None => self.kept.get::<Launches>().kernels.push(KernelRun {
                kernel: kernel.name.clone(),
                config: kernel.config,
                numbers,
                launches: 1,
                counters,
            }),
        }
        if let Err(error) = ended {
            let found = error.downcast_ref::<ptx_simulator::Diagnostic>();
            let kind = found.map(|found| found.kind);
            let is_too_long = |found: &Diagnostic| matches!(found.what, What::TooLong { .. });
            let is_limit =
                |found: &&Diagnostic| found.kind == Kind::StepLimit && is_spent || is_too_long(found);
            if let Some(found) = found.filter(is_limit) {
                self.device.retract(found);
                let shape = Shape::of(self, call, kernel, place);
                return Err(self.spent(&shape, found, of_this_launch).into());
            }
            if let Some(found) = found.filter(|found| found.kind == Kind::MemoryLimit) {
                // It is the simulator that has no room: what would follow says nothing about the program.
                self.device.retract(found);
                let (file, line) = place.cloned().unzip();
                let sizes = Shape::of(self, call, kernel, place).sizes();
                let constant = place.and_then(|place| constant_for(self.outside, place, &sizes));
                let help = make_smaller(constant, "the sizes of the buffers come from");
                let found = Diagnostic { file, line, help, ..found.clone() };
                return Err(Stop::Fault(Box::new(found)));
            }
            let error = match kind {
                Some(Kind::Misaligned) => Error::MisalignedAddress,
                Some(Kind::Trap) => Error::LaunchFailure,
                Some(Kind::StepLimit | Kind::Deadlock) => Error::LaunchTimeout,
                Some(Kind::UnsupportedInstruction) => Error::IllegalInstruction,
                _ => Error::IllegalAddress,
            };
            self.kept.get::<Errors>().sticky = Some(error);
            if let Some(found) = found {
                let shape = Shape::of(self, call, kernel, place);
                self.say_launch_of(call, found, error, (&shape, &firsts(self.module, kernel, &args)));
            }
        }
        Ok(())
    }

    /// What has stopped a kernel also has the line of its launch: the program hears of it from a later call.
    fn say_launch_of(&mut self, call: &Call, stopped: &Diagnostic, error: Error, launch: (&Shape, &[u64])) {
        let Some((file, line)) = launch.0.place.clone() else { return };
        self.device.retract(stopped);
        let stopped = match stopped.kind {
            Kind::OutOfBounds => match launch.0.exchanged_help() {
                Some(help) => Diagnostic { help, ..stopped.clone() },
                None => self.with_count(call, stopped.clone(), launch),
            },
            Kind::HostAccess => self.with_arguments(call, stopped.clone(), launch),
            _ => stopped.clone(),
        };
        let message = format!("launched here; the calls that come after it give {}", error.said());
        self.found_now(stopped.at(Site { file, line, message }));
    }

    /// The launches have executed as many instructions as they may: in this one, which has `stopped`.
    fn spent(&mut self, shape: &Shape, stopped: &Diagnostic, of_this_launch: u64) -> Box<Diagnostic> {
        let kernels = &self.kept.get::<Launches>().kernels;
        let launches: u64 = kernels.iter().map(|known| known.launches).sum();
        let of_this = kernels.iter().find(|known| known.kernel == shape.name);
        let (own, executed) =
            of_this.map_or((0, 0), |known| (known.launches, known.counters.warp_instructions));
        let million = |count: u64| format!("{} million", thousands(count.div_ceil(1_000_000) as i64));
        let limit = million(self.warp_limit.unwrap_or_default());
        let mut message = match stopped.what {
            What::TooLong { expected } => format!(
                "this launch would execute about {} warp instructions, and the kernels may execute {limit} \
                 together: ",
                million(expected)
            ),
            _ => format!("the kernels have executed {limit} warp instructions together, their limit: "),
        };
        if launches > 1 {
            let own = counted((own, 1, 1), "launch", "launches");
            message += &format!("{} in {own} of `{}` of {launches} in all; ", million(executed), shape.name);
        }
        let LaunchConfig { grid_dim, block_dim, .. } = shape.config;
        let grid = counted(grid_dim, "block", "blocks");
        let block = counted(block_dim, "thread", "threads");
        message += &format!("here `{}` has a grid of {grid} of {block}", shape.name);
        // One launch that takes most of it may never end.
        let is_too_long = matches!(stopped.what, What::TooLong { .. });
        let is_one = is_too_long || of_this_launch > self.warp_limit.unwrap_or_default() / 2;
        let line = stopped.file.clone().zip(stopped.line).filter(|_| is_one);
        let related = line.map(|(file, line)| {
            let is_loop = self.outside.source_line(&file, line).is_some_and(|text| is_head_of_loop(&text));
            let message = match (is_too_long, is_loop) {
                (true, _) => "this takes the time",
                (false, true) => "this is what it was doing: does this loop end?",
                (false, false) => "this is what it was doing",
            };
            Site { file, line, message: message.to_string() }
        });
        let words = Words { message, related: related.into_iter().collect() };
        let place = shape.place.as_ref();
        let constant = place.and_then(|place| constant_for(self.outside, place, &shape.sizes()));
        let constant = make_smaller(constant, "this grid comes from");
        let help = if launches > 1 { constant + ", or the number of launches" } else { constant };
        let mut found = Diagnostic::of_host(Kind::StepLimit, None, words, &help);
        (found.file, found.line) = shape.place.clone().unzip();
        Box::new(found)
    }

    /// Says that nothing of what the kernels did has come back to the host.
    pub fn say_unheard(&mut self) {
        let is_broken = self.kept.get::<Errors>().sticky.is_some();
        let launches = self.kept.get::<Launches>();
        let first = launches.first.take().filter(|_| !launches.is_heard);
        if first.is_none() || is_broken {
            return;
        }
        let message = "the host copies nothing back from the device: nobody sees what the kernels computed";
        let help = "copy the result after the launch: cudaMemcpy(…, cudaMemcpyDeviceToHost)";
        let mut found = Diagnostic::of_host(Kind::HostAccess, None, message, help);
        (found.file, found.line) = first.unzip();
        self.add(Diagnostic { severity: Severity::Note, ..found });
    }
}

/// `1 block`, `2,048 blocks`, `16 x 16 blocks`.
fn counted<N: Copy + Into<u64>>((x, y, z): (N, u32, u32), one: &str, more: &str) -> String {
    let x = thousands(x.into() as i64);
    match (&*x, y, z) {
        ("1", 1, 1) => format!("1 {one}"),
        (_, 1, 1) => format!("{x} {more}"),
        (_, _, 1) => format!("{x} x {y} {more}"),
        _ => format!("{x} x {y} x {z} {more}"),
    }
}

/// What the host calls the memory that arguments point to, one for each parameter.
fn called(call: &Call, module: &Module, kernel: &Kernel, args: &[u64]) -> Vec<Option<Called>> {
    let firsts = firsts(module, kernel, args).into_iter();
    let named = firsts.map(|address| Some(call.simulator.name_of(address)).filter(|name| !name.is_empty()));
    named.map(|name| name.map(|name| Called { name: Some(name), ..Called::default() })).collect()
}

/// The first eight bytes of each parameter.
fn firsts(module: &Module, kernel: &Kernel, args: &[u64]) -> Vec<u64> {
    let mut rest = args.iter();
    let params = module.params(&kernel.name).unwrap_or_default().iter();
    let firsts = params.map(|param| {
        let first = rest.next();
        rest.by_ref().take(param.pieces() - 1).for_each(drop);
        first.copied().unwrap_or(0)
    });
    firsts.collect()
}

/// The arguments of a launch, cut from the bytes of its parameters.
fn pieces(module: &ptx_simulator::Module, kernel: &Kernel) -> Vec<u64> {
    let mut args = Vec::new();
    for param in module.params(&kernel.name).unwrap_or_default() {
        for piece in 0..param.pieces() {
            let start = param.offset + 8 * piece;
            let end = (start + 8).min(param.offset + param.bytes);
            let mut bytes = [0; 8];
            for (to, from) in bytes.iter_mut().zip(kernel.params.get(start..end).unwrap_or_default()) {
                *to = *from;
            }
            args.push(u64::from_le_bytes(bytes));
        }
    }
    args
}
