//! The GPU, through cudarc; the only folder that names cudarc.
//!
//! The driver library is loaded at run time, so a program built with this starts on a machine without CUDA.
//! One device, one stream: operations run in the order in which they are written. It is not the default
//! stream, which cannot be captured into a graph.
//!
//! | file | job |
//! | --- | --- |
//! | `error.rs` | what the driver says when something fails, and what to do |
//! | `find.rs` | which GPUs can run the kernels |
//! | `memory.rs` | memory that kernels reach, and copies |

mod error;
mod find;
mod memory;

use std::cell::Cell;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use anyhow::{Result, anyhow, ensure};
use cudarc::driver::result::{launch_cooperative_kernel, launch_kernel};
use cudarc::driver::sys::{
    self, CUdevice_attribute as Attribute, CUevent_flags, CUgraphInstantiate_flags, CUlimit, CUresult,
    CUstreamCaptureMode,
};
use cudarc::driver::{self, CudaContext, CudaFunction, CudaGraph, CudaModule, CudaStream};
use ptx_simulator::LaunchConfig;

use self::error::failed;
pub use self::memory::Memory;
use super::fault::How;
use super::measure::Limit;
use crate::info::DeviceInfo;

/// A usable GPU, with its context and stream.
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    info: DeviceInfo,
    pending_launch_limit: Cell<u64>,
}

/// Kernels in a context.
#[derive(Clone)]
pub struct Module(Arc<Loaded>);

/// A module that is unloaded when it is dropped, after all work: some may run its kernels.
struct Loaded(Arc<CudaModule>, Arc<CudaContext>);

impl Drop for Loaded {
    fn drop(&mut self) {
        let Loaded(module, context) = self;
        if context.synchronize().is_err() {
            std::mem::forget(module.clone()); // stays loaded
        }
    }
}

/// A kernel, with the module that it is from.
#[derive(Clone)]
pub struct Function(CudaFunction, #[expect(dead_code, reason = "it is kept to be dropped")] Module);

/// The kernel called `name`.
pub fn load_function(module: &Module, name: &str) -> Result<Function> {
    let function = module.0.0.load_function(name);
    let function = function.map_err(|error| failed(&format!("cannot load {name}"), error))?;
    Ok(Function(function, module.clone()))
}

/// Captured work, ready to be launched.
pub struct Graph {
    graph: CudaGraph,
    /// Where kernels launch it too.
    launched_by_kernels: Option<Arc<CudaContext>>,
}

impl Drop for Graph {
    fn drop(&mut self) {
        // One that runs goes on; but a kernel that launches it must not come later. Where waiting fails, no
        // kernel runs any more.
        let _ = self.launched_by_kernels.as_ref().map(|context| context.synchronize());
    }
}

impl Gpu {
    /// The same GPU with another stream: what is put into one does not wait for what is in the other.
    pub fn another_stream(&self) -> Result<Gpu> {
        let failed = |error| failed("cannot make another stream", error);
        let context = self.context.clone();
        let stream = self.context.new_stream().map_err(failed)?;
        Ok(Gpu { context, stream, info: self.info.clone(), pending_launch_limit: Cell::new(0) })
    }

    pub fn info(&self) -> DeviceInfo {
        self.info.clone()
    }

    /// Makes this GPU the one that the calling thread works with, for a library that asks.
    pub fn bind(&self) -> Result<()> {
        self.context.bind_to_thread().map_err(|error| failed("cannot use the GPU", error))
    }

    /// Which of the driver's devices it is.
    pub fn ordinal(&self) -> i32 {
        self.context.ordinal() as i32
    }

    /// Lets kernels on this GPU reach the memory of `other`, now and later (CUDA Driver API, "Stream Ordered
    /// Memory Allocator", `cuMemPoolSetAccess`: all buffers here come from a device's default pool).
    pub fn reach(&self, other: &Gpu) -> Result<()> {
        let failed = |error| {
            let from = self.ordinal();
            let to = other.ordinal();
            failed(&format!("GPU {from} cannot reach the memory of GPU {to}"), error)
        };
        let here = self.context.cu_device();
        let there = other.context.cu_device();
        let mut can = 0;
        // SAFETY: writes one int to the address of one; both handles are the driver's.
        unsafe { sys::cuDeviceCanAccessPeer(&mut can, here, there) }.result().map_err(failed)?;
        ensure!(
            can == 1,
            "GPU {} cannot reach the memory of GPU {}: the machine does not connect them as peers",
            self.ordinal(),
            other.ordinal()
        );
        let mut pool = null_mut();
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

    /// Whether atomics of kernels on this GPU are atomic in the memory of `other`, too (CUDA Driver API,
    /// `CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED`): over NVLink they are, over PCIe mostly not.
    pub fn has_native_atomics_on(&self, other: &Gpu) -> Result<bool> {
        let attribute = sys::CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
        let here = self.context.cu_device();
        let there = other.context.cu_device();
        let mut supported = 0;
        // SAFETY: writes one int to the address of one; both handles are the driver's.
        unsafe { sys::cuDeviceGetP2PAttribute(&mut supported, attribute, here, there) }
            .result()
            .map_err(|error| failed("cannot ask about atomics between GPUs", error))?;
        Ok(supported == 1)
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

    /// Loads a fatbin into the context.
    ///
    /// # Safety
    /// `image` is what a compiler has made, whole.
    pub unsafe fn load_module(&self, image: &[u8]) -> Result<Module> {
        let module = self.context.load_module(cudarc::nvrtc::Ptx::from_binary(image.to_vec()));
        let module = module.map_err(|error| failed("cannot load the kernels", error))?;
        Ok(Module(Arc::new(Loaded(module, self.context.clone()))))
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

    /// Starts `function`; [`How::Cooperative`] all its blocks at once, which have to fit
    /// ([`Gpu::resident_blocks`]). `args` holds one value per parameter, in its low bytes.
    ///
    /// # Safety
    /// Number and sizes of `args` are those of the kernel's signature. With them the kernel reaches no memory
    /// but what it is noted for ([`Gpu::uses`]) and may write.
    pub unsafe fn launch(
        &self,
        function: &Function,
        config: LaunchConfig,
        args: &[u64],
        how: How,
    ) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { launch(&self.stream, function, config, args, how) }
    }

    /// The same as something that another thread can do, and again.
    ///
    /// # Safety
    /// Of [`Gpu::launch`], whenever it is done.
    pub unsafe fn launcher(
        &self,
        function: &Function,
        config: LaunchConfig,
        args: Vec<u64>,
        how: How,
    ) -> impl Fn() -> Result<()> + Send + use<> {
        let stream = self.stream.clone();
        let function = function.clone();
        // SAFETY: the caller's.
        move || unsafe { launch(&stream, &function, config, &args, how) }
    }

    /// Blocks of `threads` threads and `shared_mem_bytes` of dynamic shared memory that the GPU holds at a
    /// time.
    pub fn resident_blocks(&self, function: &Function, threads: u32, shared_mem_bytes: u32) -> Result<u32> {
        let each = function
            .0
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
    /// `by_kernels` is whether kernels launch it too.
    pub fn capture(&self, by_kernels: bool, work: &mut dyn FnMut() -> Result<()>) -> Result<Graph> {
        let flags = if by_kernels {
            CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
        } else {
            CUgraphInstantiate_flags(0)
        };
        let graph = captured(&self.stream, flags, work)?;
        Ok(Graph { graph, launched_by_kernels: by_kernels.then(|| self.context.clone()) })
    }

    /// Starts all that `graph` holds, in the stream.
    pub fn launch_graph(&self, graph: &Graph) -> Result<()> {
        let failed = |error| failed("cannot launch the graph", error);
        self.context.bind_to_thread().map_err(failed)?;
        // SAFETY: graph and stream live as long as their references, and both are of one context.
        unsafe { driver::result::graph::launch(graph.graph.cu_graph_exec(), self.stream.cu_stream()) }
            .map_err(failed)
    }

    /// What device code calls `graph`, a `cudaGraphExec_t`.
    pub fn graph_handle(&self, graph: &Graph) -> u64 {
        graph.graph.cu_graph_exec() as u64
    }

    /// Captures what `work` puts into the stream as the body of a loop: a graph with a conditional node
    /// (CUDA C++ Programming Guide, "Conditional Graph Nodes"; CUDA 12.4). `work` is given the handle by
    /// which a kernel says whether the body runs once more; the first time it runs in any case.
    pub fn capture_while(&self, work: &mut dyn FnMut(u64) -> Result<()>) -> Result<Graph> {
        let failed = |error| failed("cannot capture a loop", error);
        // The graph around the loop is captured in a stream of its own, which launches nothing.
        let around = self.context.new_stream().map_err(failed)?;
        let flags = CUgraphInstantiate_flags(0);
        let graph = captured(&around, flags, &mut || self.capture_body(&around, work))?;
        around.synchronize().map_err(failed)?; // the upload went there
        Ok(Graph { graph, launched_by_kernels: None })
    }

    /// Adds the loop to the graph that `around` captures, and captures its body.
    fn capture_body(&self, around: &CudaStream, work: &mut dyn FnMut(u64) -> Result<()>) -> Result<()> {
        let failed = |error| failed("cannot capture a loop", error);
        let context = self.context.cu_ctx();
        let stream = self.stream.cu_stream();
        let outer = around.cu_stream();
        // Of its two flags: each launch of the graph begins with the value 1.
        let again = sys::CU_GRAPH_COND_ASSIGN_DEFAULT;
        let instead = sys::CUstreamUpdateCaptureDependencies_flags::CU_STREAM_SET_CAPTURE_DEPENDENCIES as u32;
        let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        let mut graph = null_mut();
        let mut handle = 0;
        let mut node = null_mut();
        // SAFETY: writes a status and a handle to the addresses of such, and nothing to null.
        unsafe {
            let id = null_mut();
            let dependencies = null_mut();
            let count = null_mut();
            sys::cuStreamGetCaptureInfo_v2(outer, &mut status, id, &mut graph, dependencies, count)
        }
        .result()
        .map_err(failed)?;
        // SAFETY: writes one handle to the address of one; the graph is being captured.
        unsafe { sys::cuGraphConditionalHandleCreate(&mut handle, graph, context, 1, again) }
            .result()
            .map_err(failed)?;
        // SAFETY: plain numbers and addresses, of which zeros are values. What is unused has to be 0.
        let mut params: sys::CUgraphNodeParams = unsafe { std::mem::zeroed() };
        params.type_ = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
        params.__bindgen_anon_1.conditional = sys::CUDA_CONDITIONAL_NODE_PARAMS {
            handle,
            type_: sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_WHILE,
            size: 1,
            phGraph_out: null_mut(),
            ctx: context,
        };
        // SAFETY: writes one handle to the address of one, and to `phGraph_out` the address of `size` graphs
        // that live as long as the node.
        unsafe { sys::cuGraphAddNode(&mut node, graph, null(), 0, &mut params) }.result().map_err(failed)?;
        // SAFETY: reads one node from the address of one.
        unsafe { sys::cuStreamUpdateCaptureDependencies(outer, &mut node, 1, instead) }
            .result()
            .map_err(failed)?;
        // SAFETY: the member was written above and by the call; one graph lies at its address.
        let body = unsafe { *params.__bindgen_anon_1.conditional.phGraph_out };
        // SAFETY: the body is a graph without nodes; no dependencies are read.
        unsafe { sys::cuStreamBeginCaptureToGraph(stream, body, null(), null(), 0, RELAXED) }
            .result()
            .map_err(failed)?;
        let worked = work(handle);
        // SAFETY: ends it in any case, and writes one handle, of the body again, to the address of one.
        let ended = unsafe { sys::cuStreamEndCapture(stream, &mut graph) }.result();
        worked?;
        ended.map_err(failed)
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

/// A kernel's code may be loaded at its first launch, which the other modes can refuse.
const RELAXED: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;

/// What `work` puts into `stream`, as a graph that is ready to be launched.
fn captured(
    stream: &Arc<CudaStream>,
    flags: CUgraphInstantiate_flags,
    work: &mut dyn FnMut() -> Result<()>,
) -> Result<CudaGraph> {
    let failed = |error| failed("cannot capture a graph", error);
    stream.begin_capture(RELAXED).map_err(failed)?;
    let worked = work();
    let graph = stream.end_capture(flags); // ends it in any case
    worked?;
    let graph = graph.map_err(failed)?.ok_or_else(|| anyhow!("cannot capture a graph: it is empty"))?;
    graph.upload().map_err(failed)?;
    Ok(graph)
}

/// Starts `function` in `stream`.
///
/// # Safety
/// Of [`Gpu::launch`].
unsafe fn launch(
    stream: &CudaStream,
    function: &Function,
    LaunchConfig { grid_dim, block_dim, shared_mem_bytes }: LaunchConfig,
    args: &[u64],
    how: How,
) -> Result<()> {
    let failed = |error| failed("cannot launch the kernel", error);
    stream.context().bind_to_thread().map_err(failed)?;
    // Lets the grid start early (CUDA Driver API, `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`).
    let mut early = sys::CUlaunchAttribute {
        id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        pad: [0; 4],
        value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
    };
    let config = sys::CUlaunchConfig {
        gridDimX: grid_dim.0,
        gridDimY: grid_dim.1,
        gridDimZ: grid_dim.2,
        blockDimX: block_dim.0,
        blockDimY: block_dim.1,
        blockDimZ: block_dim.2,
        sharedMemBytes: shared_mem_bytes,
        hStream: stream.cu_stream(),
        attrs: &mut early,
        numAttrs: 1,
    };
    let mut params: Vec<_> = args.iter().map(|arg| std::ptr::from_ref(arg).cast_mut().cast()).collect();
    let kernel = function.0.cu_function();
    let stream = stream.cu_stream();
    let params = &mut params[..];
    // SAFETY: there are as many values as the signature has parameters, each at least as large, so the driver
    // reads initialised memory only; it copies configuration, attribute and arguments before it returns, and
    // writes none of them. Stream and function live as long as their references, and the function's module is
    // unloaded after all work. What the kernel reaches is noted as used in this stream, and freed after it:
    // the caller's promise.
    unsafe {
        match how {
            How::Plain => launch_kernel(kernel, grid_dim, block_dim, shared_mem_bytes, stream, params),
            How::Cooperative => {
                launch_cooperative_kernel(kernel, grid_dim, block_dim, shared_mem_bytes, stream, params)
            }
            How::Dependent => {
                sys::cuLaunchKernelEx(&config, kernel, params.as_mut_ptr(), null_mut()).result()
            }
        }
    }
    .map_err(failed)
}

/// `max_threads_per_block` of `CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK`.
fn short_name(attribute: Attribute) -> String {
    format!("{attribute:?}").trim_start_matches("CU_DEVICE_ATTRIBUTE_").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_the_names_that_records_know() {
        use Attribute::*;
        assert_eq!(short_name(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), "max_threads_per_block");
        let shared = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK;
        assert_eq!(short_name(shared), "max_shared_memory_per_block");
    }
}
