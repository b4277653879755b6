//! The GPU, through cudarc; the only file that names cudarc, and the only one with unsafe code.
//!
//! The driver library is loaded at run time, so a program built with this starts on a machine without CUDA.
//! One device, one stream: operations run in the order in which they are written. It is not the default
//! stream, which cannot be captured into a graph.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use anyhow::{Result, anyhow, ensure};
use cudarc::driver::sys::{
    self, CUdevice_attribute as Attribute, CUevent_flags, CUgraphInstantiate_flags, CUlimit, CUresult,
    CUstreamCaptureMode,
};
use cudarc::driver::{
    self, CudaContext, CudaFunction, CudaGraph, CudaModule, CudaSlice, CudaStream, DevicePtr, DriverError,
    PushKernelArg, result,
};

use super::fault::{Fault, Launcher, NoGpu};
use crate::build::kernels;
use crate::record::{DeviceInfo, DeviceKind, GpuInfo, Limit};
use crate::sim::LaunchConfig;

/// The PTX of every kernel is made for compute_75 (Turing), and so is the oldest machine code.
const OLDEST_COMPUTE_CAPABILITY: (i32, i32) = (7, 5);
#[cfg(windows)]
const LIBRARY: &str = "nvcuda.dll";
#[cfg(not(windows))]
const LIBRARY: &str = "libcuda.so or libcuda.so.1";

/// A usable GPU, with its context and stream.
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    info: DeviceInfo,
    pending_launch_limit: Cell<u64>,
}

/// Device memory; given back, in stream order, when dropped.
pub type Memory = CudaSlice<u8>;
/// Memory of the host that kernels can reach; given back when dropped.
pub struct HostMemory {
    start: *mut u8,
    bytes: usize,
}

impl HostMemory {
    /// Its address, which is the same for kernels (unified addressing).
    pub fn address(&self) -> u64 {
        self.start as u64
    }

    /// Its bytes; no kernel may be writing there, and no copy reading.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: so many bytes are allocated and were set at the start; the borrow keeps the host's other
        // uses away.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    /// Its first four bytes, which a kernel may be writing: the host looks at them again and again.
    pub fn word(&self) -> &AtomicU32 {
        assert!(self.bytes >= 4, "a word has four bytes");
        // SAFETY: the allocation is page-aligned, at least four bytes long, and lives as long as `self`;
        // kernels store whole words there.
        unsafe { AtomicU32::from_ptr(self.start.cast()) }
    }

    /// Copies its contents to `bytes`; no kernel may be writing there.
    pub fn read(&self, bytes: &mut [u8]) {
        let count = bytes.len().min(self.bytes);
        // SAFETY: both have so many bytes, and do not overlap.
        unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(self.start, count) };
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: it came from cuMemHostAlloc, and nobody has its address any more. Where the context is
        // lost, there is nobody to tell.
        let _ = unsafe { result::free_host(self.start.cast()) };
    }
}

pub type Module = Arc<CudaModule>;
pub type Function = CudaFunction;
pub type Graph = CudaGraph;

/// The kernel called `name`.
pub fn load_function(module: &Module, name: &str) -> Result<Function> {
    module.load_function(name).map_err(|error| failed(&format!("cannot load {name}"), error))
}

/// Starts all that `graph` holds, in the stream it was captured from.
pub fn launch_graph(graph: &Graph) -> Result<()> {
    graph.launch().map_err(|error| failed("cannot launch the graph", error))
}

/// What device code calls `graph`, a `cudaGraphExec_t`.
pub fn graph_handle(graph: &Graph) -> u64 {
    graph.cu_graph_exec() as u64
}

impl Gpu {
    /// The first GPU that can run the kernels.
    pub fn open() -> std::result::Result<Gpu, NoGpu> {
        Gpu::open_some(1).map(|mut gpus| gpus.remove(0))
    }

    /// The first GPUs that can run the kernels: at least one, at most `most`.
    pub fn open_some(most: usize) -> std::result::Result<Vec<Gpu>, NoGpu> {
        Gpu::open_among(|count| 0..count, most)
    }

    /// GPU `number`; where there is only one, that one, since a launcher may show each process its own GPU
    /// alone.
    pub fn open_number(number: usize) -> std::result::Result<Gpu, NoGpu> {
        let number = number as i32;
        let among = |count: i32| if count == 1 { 0..1 } else { number..count.min(number + 1) };
        Gpu::open_among(among, 1).map(|mut gpus| gpus.remove(0)).map_err(|no_gpu| NoGpu {
            reason: format!("GPU {number} was asked for: {}", no_gpu.reason),
            ..no_gpu
        })
    }

    /// GPUs out of those `among` so many that can run the kernels: at least one, at most `most`.
    fn open_among(
        among: impl FnOnce(i32) -> Range<i32>,
        most: usize,
    ) -> std::result::Result<Vec<Gpu>, NoGpu> {
        let mut search = Search { looked_for: Vec::new() };
        let driver = driver_version();

        // SAFETY: loads and unloads the driver library, whose initialisers have no preconditions. Asked
        // first, because every other call of cudarc panics where the library is missing.
        if !unsafe { sys::is_culib_present() } {
            search.saw("driver library", format!("{LIBRARY}: not found"));
            search.saw("driver", driver.unwrap_or_else(|| "none".into()));
            return Err(search.failed("the CUDA driver library was not found"));
        }
        search.saw("driver library", "found");

        let mut version = 0;
        // SAFETY: writes one int to the address of one int; may be called before cuInit.
        let asked = unsafe { sys::cuDriverGetVersion(&mut version) }.result();
        let cuda = (asked.is_ok() && version > 0).then(|| dotted(version));
        search.saw(
            "driver",
            format!(
                "{}, supports CUDA {}",
                driver.as_deref().unwrap_or("version unknown"),
                cuda.as_deref().unwrap_or("unknown")
            ),
        );
        let (needed, compiler) = needed_cuda();
        if version < needed * 1000 {
            search.saw("needed", format!("driver {} or newer (CUDA {needed}.0)", oldest_driver(needed)));
            return Err(search.failed(&format!(
                "driver {} supports CUDA {}; the kernels were built by {compiler} and need driver {} or \
                 newer",
                driver.as_deref().unwrap_or("(version unknown)"),
                cuda.as_deref().unwrap_or("(unknown)"),
                oldest_driver(needed)
            )));
        }

        let count = match CudaContext::device_count() {
            Ok(count) => count,
            Err(error) => {
                search.saw("devices", message(error));
                return Err(search.failed(&format!("the driver found no device ({})", message(error))));
            }
        };
        let mut gpus = Vec::new();
        let among = among(count);
        if among.is_empty() && count > 0 {
            return Err(search.failed(&format!("this host has {count}, counted from 0")));
        }
        for ordinal in among {
            if gpus.len() == most {
                break;
            }
            match Gpu::open_device(ordinal, &driver, cuda.as_deref().unwrap_or_default()) {
                Ok(Ok(gpu)) => gpus.push(gpu),
                Ok(Err(unusable)) => search.saw(&format!("device {ordinal}"), unusable),
                Err(error) => search.saw(&format!("device {ordinal}"), message(error)),
            }
        }
        if !gpus.is_empty() {
            return Ok(gpus);
        }
        if count == 0 {
            search.saw("devices", "none");
        }
        Err(search.failed("no device can run the kernels"))
    }

    /// Device `ordinal`, or in words why it will not do.
    fn open_device(
        ordinal: i32,
        driver: &Option<String>,
        cuda: &str,
    ) -> std::result::Result<std::result::Result<Gpu, String>, DriverError> {
        let device = result::device::get(ordinal)?;
        let name = result::device::get_name(device)?;
        // SAFETY: `device` is a handle that the driver has just given.
        let ask = |attribute| unsafe { result::device::get_attribute(device, attribute) };
        let capability = (
            ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        if capability < OLDEST_COMPUTE_CAPABILITY {
            let (major, minor) = OLDEST_COMPUTE_CAPABILITY;
            return Ok(Err(format!(
                "{name}: compute capability {}.{}, {major}.{minor} or higher is needed",
                capability.0, capability.1
            )));
        }

        let context = CudaContext::new(ordinal as usize)?;
        // SAFETY: a buffer is freed in the order of the stream that it was allocated in, and that is the one
        // whose work uses it; what uses it from elsewhere (a peer) is waited for by its host code. Without
        // this every buffer carries two events that a timed region would pay for.
        unsafe { context.disable_event_tracking() };
        // 0 where the driver does not report one.
        let reported = |attribute| ask(attribute).unwrap_or(0).max(0) as u32;
        let info = DeviceInfo {
            kind: DeviceKind::Gpu,
            name,
            gpu: Some(GpuInfo {
                driver: driver.clone(),
                cuda: cuda.to_string(),
                compute_capability: format!("{}.{}", capability.0, capability.1),
                multiprocessors: reported(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                sm_clock_mhz: reported(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000,
                memory_clock_mhz: reported(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1000,
                memory_bus_bits: reported(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
                l2_bytes: reported(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE).into(),
                memory_bytes: context.total_mem()? as u64,
            }),
            gpus: None,
            threads: None,
            cpu: None,
        };
        let stream = context.new_stream()?;
        Ok(Ok(Gpu { context, stream, info, pending_launch_limit: Cell::new(0) }))
    }

    /// The same GPU with another stream: what is put into one does not wait for what is in the other.
    pub fn another_stream(&self) -> Result<Gpu> {
        let failed = |error| failed("cannot make another stream", error);
        let (context, stream) = (self.context.clone(), self.context.new_stream().map_err(failed)?);
        Ok(Gpu { context, stream, info: self.info.clone(), pending_launch_limit: Cell::new(0) })
    }

    pub fn info(&self) -> DeviceInfo {
        self.info.clone()
    }

    /// Makes this GPU the one that the calling thread works with, for a library that asks.
    pub fn bind(&self) -> Result<()> {
        self.context.bind_to_thread().map_err(|error| failed("cannot use the GPU", error))
    }

    /// What no other GPU has, where the driver says it.
    pub fn identity(&self) -> Option<String> {
        let bytes = self.context.uuid().ok()?.bytes;
        Some(bytes.iter().map(|byte| format!("{:02x}", *byte as u8)).collect())
    }

    /// Which of the driver's devices it is.
    pub fn ordinal(&self) -> i32 {
        self.context.ordinal() as i32
    }

    /// Lets kernels on this GPU reach the memory of `other`, now and later (CUDA Driver API, "Stream Ordered
    /// Memory Allocator", `cuMemPoolSetAccess`: all buffers here come from a device's default pool).
    pub fn reach(&self, other: &Gpu) -> Result<()> {
        let failed = |error| {
            let (from, to) = (self.ordinal(), other.ordinal());
            failed(&format!("GPU {from} cannot reach the memory of GPU {to}"), error)
        };
        let (here, there) = (self.context.cu_device(), other.context.cu_device());
        let mut can = 0;
        // SAFETY: writes one int to the address of one; both handles are the driver's.
        unsafe { sys::cuDeviceCanAccessPeer(&mut can, here, there) }.result().map_err(failed)?;
        ensure!(
            can == 1,
            "GPU {} cannot reach the memory of GPU {}: the machine does not connect them as peers",
            self.ordinal(),
            other.ordinal()
        );
        let mut pool = std::ptr::null_mut();
        // SAFETY: writes one handle to the address of one; the pool lives as long as the device.
        unsafe { sys::cuDeviceGetDefaultMemPool(&mut pool, there) }.result().map_err(failed)?;
        let access = sys::CUmemAccessDesc {
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: self.ordinal(),
            },
            flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: reads one descriptor from the address of one.
        unsafe { sys::cuMemPoolSetAccess(pool, &access, 1) }.result().map_err(failed)
    }

    /// `bytes` bytes of the host's memory, all 0, that every GPU and the host can reach at one address
    /// (`cuMemHostAlloc`, portable and mapped).
    pub fn alloc_host(&self, bytes: usize) -> Result<HostMemory> {
        let failed = |error| failed(&format!("cannot pin {bytes} bytes of the host's memory"), error);
        self.context.bind_to_thread().map_err(failed)?;
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: the bytes are set to 0 before anybody reads them.
        let start = unsafe { result::malloc_host(bytes.max(1), flags) }.map_err(failed)?.cast::<u8>();
        // SAFETY: so many bytes have just been allocated there.
        unsafe { start.write_bytes(0, bytes) };
        Ok(HostMemory { start, bytes })
    }

    pub fn multiprocessors(&self) -> u32 {
        self.info.gpu.as_ref().map_or(0, |gpu| gpu.multiprocessors)
    }

    /// Limits of a launch and of a multiprocessor, under the driver's names (CUDA Driver API,
    /// `CUdevice_attribute`); one that it does not report is left out.
    pub fn limits(&self) -> Vec<Limit> {
        use Attribute::*;
        let limits = [
            CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
            CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
            CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
            CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
            CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
            CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
        ];
        let ask = |attribute| {
            let value = self.context.attribute(attribute).ok()?.into();
            Some(Limit { name: short_name(attribute), value })
        };
        limits.into_iter().filter_map(ask).collect()
    }

    /// Loads a fatbin (or PTX text) into the context.
    pub fn load_module(&self, image: &[u8]) -> Result<Module> {
        self.context
            .load_module(cudarc::nvrtc::Ptx::from_binary(image.to_vec()))
            .map_err(|error| failed("cannot load the kernels", error))
    }

    /// `bytes` bytes of device memory, contents undefined; one byte where none is asked for, so that every
    /// buffer has an address.
    pub fn alloc(&self, bytes: usize) -> Result<Memory> {
        // SAFETY: the bytes are undefined until they are written, and `u8` has no invalid value.
        unsafe { self.stream.alloc(bytes.max(1)) }
            .map_err(|error| failed(&format!("cannot allocate {bytes} bytes on the GPU"), error))
    }

    pub fn memset_zeros(&self, memory: &mut Memory) -> Result<()> {
        self.stream.memset_zeros(memory).map_err(|error| failed("cannot clear device memory", error))
    }

    pub fn memcpy_htod(&self, bytes: &[u8], memory: &mut Memory) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.stream.memcpy_htod(bytes, memory).map_err(|error| failed("cannot copy to the GPU", error))
    }

    /// Copies to the host and waits for it, and for all work before it.
    pub fn memcpy_dtoh(&self, memory: &Memory, bytes: &mut [u8]) -> Result<()> {
        if !bytes.is_empty() {
            self.stream
                .memcpy_dtoh(memory, bytes)
                .map_err(|error| failed("cannot copy from the GPU", error))?;
        }
        self.synchronize()
    }

    pub fn memcpy_dtod(&self, from: &Memory, to: &mut Memory) -> Result<()> {
        self.stream.memcpy_dtod(from, to).map_err(|error| failed("cannot copy on the GPU", error))
    }

    /// Copies `bytes` bytes, in the order of the stream, and does not wait. Both addresses are of this GPU's
    /// buffers or of the host's memory, and the caller has seen to it that so many bytes are there.
    pub fn memcpy_async(&self, from: u64, to: u64, bytes: usize) -> Result<()> {
        let failed = |error| failed("cannot start a copy", error);
        self.context.bind_to_thread().map_err(failed)?;
        // SAFETY: the caller names buffers that are freed in the order of the stream, after this, or pinned
        // memory.
        unsafe { sys::cuMemcpyAsync(to, from, bytes, self.stream.cu_stream()) }.result().map_err(failed)
    }

    /// Whether all work is done; a kernel that went wrong is reported here too.
    pub fn is_idle(&self) -> Result<bool> {
        let failed = |error| failed("the GPU reports", error);
        self.context.bind_to_thread().map_err(failed)?;
        // SAFETY: the stream lives as long as this.
        match unsafe { sys::cuStreamQuery(self.stream.cu_stream()) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            status => status.result().map(|()| true).map_err(failed),
        }
    }

    /// The handle of the stream, for a library that works in it; it lives as long as this.
    pub fn raw_stream(&self) -> *mut std::ffi::c_void {
        self.stream.cu_stream().cast()
    }

    pub fn address(&self, memory: &Memory) -> u64 {
        memory.device_ptr(&self.stream).0
    }

    /// Starts `function`; with `cooperative` all its blocks at once, which have to fit
    /// ([`Gpu::resident_blocks`]). `args` holds one value per parameter, in its low bytes; number and sizes
    /// have been checked against the kernel's signature by the caller.
    pub fn launch(
        &self,
        function: &Function,
        config: LaunchConfig,
        args: &[u64],
        cooperative: bool,
    ) -> Result<()> {
        launch(&self.stream, function, config, args, cooperative)
    }

    /// The same as something that another thread can do, and again.
    pub fn launcher(
        &self,
        function: &Function,
        config: LaunchConfig,
        args: Vec<u64>,
        cooperative: bool,
    ) -> impl Fn() -> Result<()> + Send + use<> {
        let (stream, function) = (self.stream.clone(), function.clone());
        move || launch(&stream, &function, config, &args, cooperative)
    }

    /// Blocks of `threads` threads and `shared_mem_bytes` of dynamic shared memory that the GPU holds at a
    /// time.
    pub fn resident_blocks(&self, function: &Function, threads: u32, shared_mem_bytes: u32) -> Result<u32> {
        let each = function
            .occupancy_max_active_blocks_per_multiprocessor(threads, shared_mem_bytes as usize, None)
            .map_err(|error| failed("cannot ask how many blocks fit", error))?;
        Ok(each * self.multiprocessors())
    }

    /// Waits for all work; a kernel that went wrong is reported here, as a [`Fault`].
    pub fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(|error| failed("the GPU reports", error))
    }

    /// Microseconds between two events around `work` (what it puts into the stream).
    pub fn time(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
        let failed = |error| failed("cannot time the kernel", error);
        let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
        let start = self.context.new_event(timed).map_err(failed)?;
        let end = self.context.new_event(timed).map_err(failed)?;
        start.record(&self.stream).map_err(failed)?;
        work()?;
        end.record(&self.stream).map_err(failed)?;
        Ok(f64::from(start.elapsed_ms(&end).map_err(failed)?) * 1e3)
    }

    /// Captures what `work` puts into the stream, and makes it ready to be launched; nothing of it runs.
    /// `work` allocates nothing, copies nothing from or to the host and waits for nothing: the caller sees to
    /// that.
    pub fn capture(&self, launcher: Launcher, work: &mut dyn FnMut() -> Result<()>) -> Result<Graph> {
        let failed = |error| failed("cannot capture a graph", error);
        // Relaxed: a kernel's code may be loaded at its first launch, which the other modes can refuse.
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        self.stream.begin_capture(mode).map_err(failed)?;
        let worked = work();
        let flags = match launcher {
            Launcher::Host => CUgraphInstantiate_flags(0),
            Launcher::Device => CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH,
        };
        let graph = self.stream.end_capture(flags); // ends it in any case
        worked?;
        let graph = graph.map_err(failed)?.ok_or_else(|| anyhow!("cannot capture a graph: it is empty"))?;
        graph.upload().map_err(failed)?;
        Ok(graph)
    }

    /// How many launches from device code may be pending at a time (CUDA Driver API, `cuCtxSetLimit`,
    /// `CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT`). The driver reserves memory for them at once.
    pub fn set_pending_launch_limit(&self, launches: u64) -> Result<()> {
        if self.pending_launch_limit.get() == launches {
            return Ok(());
        }
        self.synchronize()?;
        self.context
            .set_limit(CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, launches as usize)
            .map_err(|error| {
                failed(&format!("cannot make room for {launches} pending device launches"), error)
            })?;
        self.pending_launch_limit.set(launches);
        Ok(())
    }
}

fn launch(
    stream: &Arc<CudaStream>,
    function: &Function,
    LaunchConfig { grid_dim, block_dim, shared_mem_bytes }: LaunchConfig,
    args: &[u64],
    cooperative: bool,
) -> Result<()> {
    let config = driver::LaunchConfig { grid_dim, block_dim, shared_mem_bytes };
    let mut builder = stream.launch_builder(function);
    for arg in args {
        builder.arg(arg);
    }
    // SAFETY: there are as many values as the signature has parameters, each at least as large, so the driver
    // reads initialised memory only. Buffers are freed in stream order, after the kernel. What the kernel
    // does with an address is the kernel's; the GPU keeps it inside this context.
    let launched =
        unsafe { if cooperative { builder.launch_cooperative(config) } else { builder.launch(config) } };
    launched.map(drop).map_err(|error| failed("cannot launch the kernel", error))
}

/// A driver error in words: what was being done, what the driver says, and what to do where it is known.
fn failed(doing: &str, error: DriverError) -> anyhow::Error {
    match error.0 {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUresult::CUDA_ERROR_INVALID_PC
        | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUresult::CUDA_ERROR_LAUNCH_FAILED
        | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
        | CUresult::CUDA_ERROR_ASSERT => anyhow::Error::new(Fault(message(error))),
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            anyhow!("{doing}: {}; choose a smaller --n, or a larger --block", message(error))
        }
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUresult::CUDA_ERROR_INVALID_PTX
        | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => anyhow!(
            "{doing}: {}; the build holds no code for this GPU: build again with an nvcc that knows it, or \
             use --device sim",
            message(error)
        ),
        _ => anyhow!("{doing}: {}", message(error)),
    }
}

/// The list of what was looked for, as it grows.
struct Search {
    looked_for: Vec<String>,
}

impl Search {
    fn saw(&mut self, what: &str, found: impl fmt::Display) {
        self.looked_for.push(format!("{:<16}{found}", format!("{what}:")));
    }
    fn failed(self, reason: &str) -> NoGpu {
        NoGpu { reason: reason.to_string(), looked_for: self.looked_for }
    }
}

/// `max_threads_per_block` of `CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK`.
fn short_name(attribute: Attribute) -> String {
    format!("{attribute:?}").trim_start_matches("CU_DEVICE_ATTRIBUTE_").to_lowercase()
}

/// `CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected`
fn message(error: DriverError) -> String {
    match error.error_string() {
        Ok(text) => format!("{:?}: {}", error.0, text.to_string_lossy()),
        Err(_) => format!("{:?}", error.0),
    }
}

/// 13000 -> `13.0`, as `cuDriverGetVersion` counts.
fn dotted(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// The CUDA major version of the newest compiler among the kernels' builds, and that compiler. Machine code
/// runs on drivers of the compiler's major version or newer (CUDA Compatibility guide).
fn needed_cuda() -> (i32, &'static str) {
    kernels::all()
        .iter()
        .filter(|build| !build.fatbin.is_empty())
        .filter_map(|build| {
            let version = build.compiler.split_whitespace().last()?;
            Some((version.split('.').next()?.parse().ok()?, build.compiler))
        })
        .max()
        .unwrap_or((13, "nvcc 13"))
}

/// The first driver branch of a CUDA major version (CUDA release notes, table of driver versions).
fn oldest_driver(cuda: i32) -> &'static str {
    match cuda {
        ..=11 => "450",
        12 => "525",
        _ => "580",
    }
}

/// The version of the kernel module, `580.159.04`, where the system says it.
fn driver_version() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    module_version(&text)
}

fn module_version(text: &str) -> Option<String> {
    let dotted_number =
        |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.lines().next()?.split_whitespace().find(dotted_number).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn driver_version_is_read_from_both_kinds_of_kernel_module() {
        let closed =
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024";
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n\
                    GCC version: 12.2.0";
        assert_eq!(module_version(closed).as_deref(), Some("550.54.14"));
        assert_eq!(module_version(open).as_deref(), Some("580.159.04"));
        assert_eq!(module_version(""), None);
    }

    #[test]
    fn limits_have_the_names_that_records_know() {
        use Attribute::*;
        assert_eq!(short_name(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), "max_threads_per_block");
        let shared = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK;
        assert_eq!(short_name(shared), "max_shared_memory_per_block");
    }

    #[test]
    fn cuda_version_is_read_as_the_driver_counts() {
        assert_eq!(dotted(12040), "12.4");
        assert_eq!(dotted(13000), "13.0");
    }
}
