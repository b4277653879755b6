//! Your own kernel on the simulator: what every buffer holds afterwards, what is wrong with it, what it cost.
//! Nothing of a GPU is needed; a `.cu` needs nvcc, and `.ptx` needs nothing.
//!
//! Say that `mine.cu` adds up one block's numbers, and that somebody has forgotten a barrier:
//!
//! ```cuda
//! extern "C" __global__ void sum(const int *in, int *out)
//! {
//!     __shared__ int partial[64];
//!     unsigned t = threadIdx.x;
//!     partial[t] = in[t];
//!     // Missing: __syncthreads(), so that every element is there before a neighbour reads it.
//!     for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
//!         if (t < stride)
//!             partial[t] += partial[t + stride];
//!         __syncthreads();
//!     }
//!     if (t == 0)
//!         *out = partial[0];
//! }
//! ```
//!
//!     cargo run --example simulate -- mine.cu --grid 1 --block 64 --arg buf:i32:iota*64 --arg buf:i32:0
//!
//! On a GPU the sum is right nearly every time, 2016, and proves nothing. The simulator names both lines of
//! the race and exits with status 1. The compiled kernel is
//! `crates/simulate/tests/simulate/missing_barrier.ptx`.
//!
//!     cargo run --example simulate -- --help        every option, and every form of an argument

use std::process::ExitCode;

fn main() -> ExitCode {
    simulate::run()
}
