//! The host side of a launch, with cudarc alone: chapter 3's kernel adds up 65,536 numbers on a GPU, in one
//! stream, in two, and from a graph.
//!
//!     cargo run --example first_launch
//!
//! Exit status: 0 the sums are right, 1 one is not, 2 there is no usable GPU. The other examples leave all
//! this to `crates/device/`, which checks each launch against the kernel's signature.

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use cudarc::driver::sys::{
    self, CUgraphInstantiate_flags, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED,
};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;

/// Machine code for every GPU since Turing; nvcc made it from kernels/ch3_blocks.cu.
const FATBIN: &[u8] = include_bytes!("../kernels/prebuilt/ch3_blocks.fatbin");
const N: u32 = 1 << 16;
const BLOCK: u32 = 512;

// ANCHOR: launch
/// One launch, which leaves a partial sum for each block and uses up `g_idata`.
fn launch(
    stream: &Arc<CudaStream>,
    kernel: &CudaFunction,
    g_idata: &mut CudaSlice<i32>,
    g_odata: &mut CudaSlice<i32>,
) -> Result<(), DriverError> {
    let size = g_idata.len() as u32;
    assert_eq!(g_odata.len() as u32, size.div_ceil(BLOCK), "one partial sum per block");
    let grid = (g_odata.len() as u32, 1, 1);
    let config = LaunchConfig { grid_dim: grid, block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
    // __global__ void reduceInterleaved(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
    let mut launch = stream.launch_builder(kernel);
    launch.arg(g_idata).arg(g_odata).arg(&size);
    // SAFETY: nobody checks arguments against the kernel. They are the three of its signature; `g_idata` has
    // the `size` elements that its threads read and write, `g_odata` one per block.
    unsafe { launch.launch(config) }.map(drop)
}
// ANCHOR_END: launch

// ANCHOR: stream
/// Copies `numbers` to the GPU and queues a launch over them; the partial sums stay there.
fn partial_sums(
    stream: &Arc<CudaStream>,
    kernel: &CudaFunction,
    numbers: &[i32],
) -> Result<CudaSlice<i32>, DriverError> {
    let mut g_idata = stream.clone_htod(numbers)?;
    let mut g_odata = stream.alloc_zeros(numbers.len().div_ceil(BLOCK as usize))?;
    launch(stream, kernel, &mut g_idata, &mut g_odata)?;
    Ok(g_odata) // `g_idata` is freed here, which the stream does after the launch
}

/// Fetches partial sums and adds them up. A kernel that went wrong is reported here.
fn total(stream: &Arc<CudaStream>, partial_sums: &CudaSlice<i32>) -> Result<i32, DriverError> {
    let sums = stream.clone_dtoh(partial_sums)?;
    stream.synchronize()?;
    Ok(sums.iter().sum())
}
// ANCHOR_END: stream

// ANCHOR: streams
/// Each half in a stream of its own: nothing orders the two, so the GPU may work on both at the same time.
fn in_two_streams(
    context: &Arc<CudaContext>,
    kernel: &CudaFunction,
    numbers: &[i32],
) -> Result<i32, DriverError> {
    let (left, right) = numbers.split_at(numbers.len() / 2);
    let streams = [context.new_stream()?, context.new_stream()?];
    let of_left = partial_sums(&streams[0], kernel, left)?;
    let of_right = partial_sums(&streams[1], kernel, right)?;
    Ok(total(&streams[0], &of_left)? + total(&streams[1], &of_right)?)
}
// ANCHOR_END: streams

// ANCHOR: graph
/// A copy on the GPU and a launch, captured once and launched three times, with one call each.
fn in_a_graph(
    context: &Arc<CudaContext>,
    kernel: &CudaFunction,
    numbers: &[i32],
) -> Result<i32, Box<dyn Error>> {
    // SAFETY: without events nothing orders two streams that use one slice. Those made from here on are used
    // in one stream.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream()?;
    let input = stream.clone_htod(numbers)?;
    let mut g_idata = stream.alloc_zeros(numbers.len())?;
    let mut g_odata = stream.alloc_zeros(numbers.len().div_ceil(BLOCK as usize))?;

    stream.begin_capture(CU_STREAM_CAPTURE_MODE_RELAXED)?;
    stream.memcpy_dtod(&input, &mut g_idata)?; // the launch before has used it up
    launch(&stream, kernel, &mut g_idata, &mut g_odata)?;
    let graph = stream.end_capture(CUgraphInstantiate_flags(0))?.ok_or("the graph is empty")?;

    for _ in 0..3 {
        graph.launch()?;
    }
    Ok(total(&stream, &g_odata)?)
}
// ANCHOR_END: graph

/// Whether the GPU's sums are those of a loop.
fn sums_agree() -> Result<bool, Box<dyn Error>> {
    let numbers: Vec<i32> = (0..N as i32).collect();
    // ANCHOR: context
    let context = CudaContext::new(0)?;
    let module = context.load_module(Ptx::from_binary(FATBIN.to_vec()))?;
    let kernel = module.load_function("reduceInterleaved")?;

    let stream = context.new_stream()?;
    let sums = partial_sums(&stream, &kernel, &numbers)?;
    let in_one_stream = total(&stream, &sums)?;
    // ANCHOR_END: context
    let expected = numbers.iter().sum::<i32>();
    let mut out = std::io::stdout();
    writeln!(out, "{N} numbers on {}; a loop says {expected}", context.name()?)?;
    let mut agree = true;
    for (how, sum) in [
        ("in one stream", in_one_stream),
        ("in two streams", in_two_streams(&context, &kernel, &numbers)?),
        ("from a graph", in_a_graph(&context, &kernel, &numbers)?),
    ] {
        writeln!(out, "{how}: {sum}")?;
        agree &= sum == expected;
    }
    Ok(agree)
}

fn main() -> ExitCode {
    // SAFETY: loading the driver library has no preconditions. Where it is missing, the rest of cudarc
    // panics.
    if !unsafe { sys::is_culib_present() } {
        return refuse("there is no CUDA driver here");
    }
    sums_agree().map_or_else(|error| refuse(&error.to_string()), |agree| ExitCode::from(u8::from(!agree)))
}

fn refuse(error: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {error}; cargo run --example ch3_blocks needs no GPU");
    ExitCode::from(2)
}
