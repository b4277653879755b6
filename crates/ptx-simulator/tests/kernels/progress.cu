// Kernels that do not end by themselves, or stop themselves.
#include <cassert>
#include <cuda_runtime.h>

extern "C" __global__ void waitsForAFlag(int* flag)
{
    while (*(volatile int*)flag == 0) { // expect: step-limit
    }
}

extern "C" __global__ void neverEnds(unsigned* out)
{
    unsigned x = 1;
    for (;;) {
        x = x * 1664525u + 1013904223u;
        out[threadIdx.x] = x; // expect: step-limit
    }
}

extern "C" __global__ void lockedForEver(int* lock)
{
    while (atomicCAS(lock, 0, 1) != 0) { // expect: step-limit
    }
    // Nobody gives the lock back.
}

extern "C" __global__ void differentBarriers(int* out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;"); // expect: deadlock
    else
        asm volatile("bar.sync 2, 64;");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void tooFewForTheBarrier(int* out)
{
    asm volatile("bar.sync 1, 128;"); // expect: deadlock
    out[threadIdx.x] = 1;
}

// Half of a warp waits for the other half, which waits for the whole block.
extern "C" __global__ void halfAtTheBarrier(int* out)
{
    if (threadIdx.x < 16)
        __syncwarp();
    else
        __syncthreads(); // expect: deadlock
    out[threadIdx.x] = 1;
}

extern "C" __global__ void lanesThatNeverCome(int* out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(0xffffffff, out[threadIdx.x], 20); // expect: warp-collective
    else
        out[threadIdx.x] = __shfl_xor_sync(0xffffffff, out[threadIdx.x], 16) + 1;
}

extern "C" __global__ void trapped(const int* in)
{
    if (in[threadIdx.x] == 7)
        __trap(); // expect: trap
}

extern "C" __global__ void asserted(const int* in)
{
    assert(in[threadIdx.x] < 7); // expect: trap
}

extern "C" __global__ void callsItselfForEver(int* out)
{
    struct Deep {
        static __device__ __noinline__ int down(int* out, int n)
        {
            out[0] = n;
            return down(out, n + 1) + n; // expect: launch-limit
        }
    };
    out[1] = Deep::down(out, 0);
}

// The lanes wait for different flags.
extern "C" __global__ void lanesWaitForever(volatile int* flags)
{
    if (threadIdx.x % 2 == 0) {
        while (flags[0] == 0) { // expect: step-limit
        }
    } else {
        while (flags[1] == 0) {
        }
    }
}
