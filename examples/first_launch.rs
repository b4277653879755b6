//! The host side of a launch, with cudarc alone: chapter 3's kernel adds up 65,536 numbers on a GPU.
//!
//!     cargo run --example first_launch
//!
//! Exit status: 0 the sum is right, 1 it is not, 2 there is no usable GPU. The other examples leave all this
//! to `src/device/`, which checks each launch against the kernel's signature.

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg, sys};
use cudarc::nvrtc::Ptx;

/// Machine code for every GPU since Turing; nvcc made it from kernels/ch3_blocks.cu.
const FATBIN: &[u8] = include_bytes!("../kernels/prebuilt/ch3_blocks.fatbin");
const N: u32 = 1 << 16;
const BLOCK: u32 = 512;
const GRID: u32 = N / BLOCK;

/// Whether the GPU's sum is that of a loop.
fn sums_agree() -> Result<bool, Box<dyn Error>> {
    // A context holds all that this program has on GPU 0; a stream works in the order in which it is given
    // work.
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let module = context.load_module(Ptx::from_binary(FATBIN.to_vec()))?;
    let kernel = module.load_function("reduceInterleaved")?;

    let numbers: Vec<i32> = (0..N as i32).collect();
    let mut g_idata = stream.clone_htod(&numbers)?;
    let mut g_odata = stream.alloc_zeros::<i32>(GRID as usize)?;

    // __global__ void reduceInterleaved(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&mut g_idata).arg(&mut g_odata).arg(&N);
    let config = LaunchConfig { grid_dim: (GRID, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: nobody checks arguments against the kernel. They are the three of its signature; `g_idata` has
    // the `N` elements that its threads read and write, `g_odata` one per block.
    unsafe { launch.launch(config) }?;

    let partial_sums = stream.clone_dtoh(&g_odata)?;
    stream.synchronize()?; // here a kernel that went wrong is reported
    let (sum, expected) = (partial_sums.iter().sum::<i32>(), numbers.iter().sum::<i32>());
    let line = format!("{N} numbers on {}: the sum is {sum}, a loop says {expected}", context.name()?);
    writeln!(std::io::stdout(), "{line}")?;
    Ok(sum == expected)
}

fn main() -> ExitCode {
    // SAFETY: loading the driver library has no preconditions. Where it is missing, the rest of cudarc
    // panics.
    if !unsafe { sys::is_culib_present() } {
        let error = "there is no CUDA driver here; cargo run --example ch3_blocks needs none";
        let _ = writeln!(std::io::stderr(), "error: {error}");
        return ExitCode::from(2);
    }
    sums_agree().map_or_else(
        |error| {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(2)
        },
        |agree| ExitCode::from(u8::from(!agree)),
    )
}
