// 2.1 One barrier is enough
//
// One block computes a sum of squares in place: every thread squares its own number, and then a tree adds
// neighbours. Nothing makes a thread wait until another has finished. One `__syncthreads()` is enough for the
// squares and all steps of the tree, if it stands in the right place. Put it there.
//
//@ learn between which accesses a barrier has to stand
//@ minutes 10
//@ race
//@ launch sumOfSquares<<<1, block>>> @data @out u32:n
//@ result out
//@ op squares
//@ one-block
//@ goal barriers <= 64 n=256 block=256
//@ hint Thread 0 reads element 1 in the first step, and element 2 in the second. Who has written them, and
//@      when?
//@ hint A barrier after the `if` stands between two steps. What stands between the squares and the first
//@      step?
//@ hint All threads of the block must reach the barrier, including those with nothing to add: it belongs in
//@      the loop, not in the `if`.
//@ think barrier-divergence: Which threads enter the `if`, and which wait for them?
//@ think barrier arrivals (one per warp): Does the one in the loop also stand between the squares and the
//@      first step?
//@ why Why does thread 0 need no barrier between the last step and the line that writes the result?
//@ because It reads element 0, which no other thread has ever written. A thread's own accesses are in order
//@      anyway; a barrier is for what others have written.
//@ mutant no-barrier: data-race
//@ - __syncthreads(); // what came before is done
//@ + // nothing
//@ mutant at-the-end-of-the-body: data-race
//@ - __syncthreads(); // what came before is done
//@ + // nothing
//@ - g_data[tid] += g_data[tid + stride];
//@ + g_data[tid] += g_data[tid + stride]; } __syncthreads(); if (false) {
//@ mutant volatile-at-the-end-of-the-body: data-race
//@ - sumOfSquares(unsigned int *g_data
//@ + sumOfSquares(volatile unsigned int *g_data
//@ - __syncthreads(); // what came before is done
//@ + // nothing
//@ - g_data[tid] += g_data[tid + stride];
//@ + g_data[tid] += g_data[tid + stride]; } __syncthreads(); if (false) {
//@ mutant before-the-loop: data-race
//@ - __syncthreads(); // what came before is done
//@ + // nothing
//@ - for (unsigned int stride = 1;
//@ + __syncthreads(); for (unsigned int stride = 1;
//@ mutant in-the-if: barrier-divergence
//@ - __syncthreads(); // what came before is done
//@ + // nothing
//@ - g_data[tid] += g_data[tid + stride];
//@ + __syncthreads(); g_data[tid] += g_data[tid + stride];
//@ mutant two-barriers: goal
//@ - for (unsigned int stride = 1;
//@ + __syncthreads(); for (unsigned int stride = 1;
//@ mutant only-one-warp: data-race
//@ - __syncthreads(); // what came before is done
//@ + __syncwarp();
//@ mutant guard-off-by-one: out-of-bounds
//@ - tid + stride < size
//@ + tid + stride <= size
//@ mutant does-not-square: wrong-result
//@ - g_data[tid] *= g_data[tid];
//@ + g_data[tid] *= 1;
//@ mutant renamed: missing-kernel
//@ - void sumOfSquares(
//@ + void sumOfSquare(
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void sumOfSquares(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = 0; i < size; i++) {
//@ =             sum += g_data[i] * g_data[i];
//@ =         }
//@ =         *g_odata = sum;
//@ =     }
//@ = }
//@ mutant one-warp-and-idle-loads: one-thread
//@ = extern "C" __global__ void sumOfSquares(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     unsigned int sum = 0;
//@ =     if (threadIdx.x < size) {
//@ =         sum = *(volatile unsigned int *)(g_data + threadIdx.x); // the other warps look busy
//@ =     }
//@ =     if (threadIdx.x < 32) {
//@ =         sum = 0;
//@ =         for (unsigned int i = threadIdx.x; i < size; i += 32) {
//@ =             sum += g_data[i] * g_data[i];
//@ =         }
//@ =         for (unsigned int distance = 16; distance > 0; distance /= 2) {
//@ =             sum += __shfl_down_sync(0xffffffff, sum, distance);
//@ =         }
//@ =         if (threadIdx.x == 0) {
//@ =             *g_odata = sum;
//@ =         }
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = extern "C" __global__ void sumOfSquares(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     __shared__ unsigned int sum;
//@ =     if (threadIdx.x == 0) {
//@ =         sum = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x < size) {
//@ =         atomicAdd(&sum, g_data[threadIdx.x] * g_data[threadIdx.x]);
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         *g_odata = sum;
//@ =     }
//@ = }
//@ mutant early-return: passes
//@ - unsigned int tid = threadIdx.x;
//@ + unsigned int tid = threadIdx.x; if (tid > 0 && tid >= size) return;
//@ mutant prints: passes
//@ - if (tid == 0) {
//@ + if (tid == 0) { printf("%u numbers\n", size);
//@ - extern "C"
//@ + #include <stdio.h>
//@ + extern "C"

extern "C" __global__ void sumOfSquares(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    if (tid < size) {
        g_data[tid] *= g_data[tid];
    }
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        //@ begin
        __syncthreads(); // what came before is done
        //@ stub
        //@ end
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            g_data[tid] += g_data[tid + stride];
        }
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
