// 2.1 Put the barrier where it belongs
//
// One block adds up its numbers in place: in step `stride` every thread whose index is a multiple of
// `2 * stride` adds its neighbour's sum. Nothing makes a thread wait until that neighbour has finished its
// own step. Put one `__syncthreads()` where it belongs.
//
//@ learn between which two accesses a barrier has to stand
//@ minutes 10
//@ launch reduceNeighbored(data, out, n) grid=1
//@ result out
//@ one-block
//@ blocks 32 96 256 1024
//@ hint Thread 0 reads element 2 in step 2. Who has written it, and in which step?
//@ hint CUDA requires all threads of a block to reach a barrier. Which threads reach a line inside the `if`?
//@ hint The end of the loop's body lies between two steps. All threads make the same number of rounds.
//@ think barrier-divergence: Which threads enter the `if`, and which wait for them?
//@ mutant no-barrier: data-race
//@ - __syncthreads(); // all threads, every step
//@ + // nothing
//@ mutant barrier-in-the-if: barrier-divergence
//@ - g_data[tid] += g_data[tid + stride];
//@ + g_data[tid] += g_data[tid + stride]; __syncthreads();
//@ mutant leaves-before-the-barrier: barrier-divergence
//@ - unsigned int tid = threadIdx.x;
//@ + unsigned int tid = threadIdx.x; if (tid % 2 == 1) for (unsigned int s = 1; s < 2 && s < size; s *= 2) __syncthreads(); if (tid % 2 == 1) return;
//@ mutant only-one-warp: data-race
//@ - __syncthreads(); // all threads, every step
//@ + __syncwarp();
//@ mutant guard-off-by-one: out-of-bounds
//@ - tid + stride < size
//@ + tid + stride <= size
//@ mutant renamed: missing-kernel
//@ - void reduceNeighbored(
//@ + void reduceNeighbours(

extern "C" __global__ void reduceNeighbored(int *g_data, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            g_data[tid] += g_data[tid + stride];
        }
        //@ begin
        __syncthreads(); // all threads, every step
        //@ stub
        //@ end
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
