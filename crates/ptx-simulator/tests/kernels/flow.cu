// Ways that lanes take, and where they meet again.
#include <cuda_runtime.h>

// Four ways through two branches; what comes behind is done by all.
extern "C" __global__ void nestedIfs(const int* in, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i], y;
    if (x & 1) {
        if (x & 2)
            y = x * 3;
        else
            y = x + 100;
    } else if (x & 4)
        y = -x;
    else
        y = x / 2;
    out[i] = y + 1;
}

// As many rounds as the value says: Collatz steps, with a limit by `break`, and `continue`.
extern "C" __global__ void tripCounts(const int* in, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i], steps = 0, odd = 0;
    while (x != 1) {
        if (++steps == 60)
            break;
        if (x % 2 == 0) {
            x /= 2;
            continue;
        }
        x = 3 * x + 1;
        odd++;
    }
    out[i] = steps * 1000 + odd;
}

extern "C" __global__ void earlyReturn(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = in[i];
    if (x < 0) {
        out[i] = -1;
        return;
    }
    for (int k = 0; k < 10; k++)
        if (x == k * k) {
            out[i] = k;
            return;
        }
    out[i] = 1000 + x;
}

extern "C" __global__ void manyWays(const int* in, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    switch (x % 10) {
    case 0: x += 5; break;
    case 1: x *= 7;
    case 2: x -= 3; break;
    case 3: x = x * x; break;
    case 4: x = ~x; break;
    case 5: x <<= 2; break;
    case 6: x ^= 0x55; break;
    case 7: return;
    default: x = -1;
    }
    out[i] = x;
}

// The lanes of an odd number wait at no barrier: they have left. The others still meet.
extern "C" __global__ void barrierWithoutThoseThatLeft(int* out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x % 2 == 1)
        return;
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}

// A lane that has the lock is in the same warp as those that spin for it.
extern "C" __global__ void lockBetweenLanes(int* lock, int* count)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *(volatile int*)count = *(volatile int*)count + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// The same, written so that it also works where the lanes of a warp wait for each other.
extern "C" __global__ void lockInsideTheLoop(int* lock, int* count)
{
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int*)count = *(volatile int*)count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// One lane waits in a loop for another lane of its warp.
extern "C" __global__ void laneWaitsForLane(int* flag, int* out)
{
    if (threadIdx.x == 0) {
        while (*(volatile int*)flag == 0) {
        }
        out[0] = *(volatile int*)flag;
    } else if (threadIdx.x == 31) {
        *(volatile int*)flag = 42;
    }
}

// A barrier of the whole grid, by hand: the last block to come opens it.
extern "C" __global__ void gridBarrier(int* data, unsigned* arrived, int* out, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int round = 1; round <= rounds; round++) {
        data[i] = round * 100 + i;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1);
            while (*(volatile unsigned*)arrived < round * gridDim.x) {
            }
        }
        __syncthreads();
        out[(round - 1) * n + i] = *(volatile int*)&data[n - 1 - i];
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived + 1, 1);
            while (*(volatile unsigned*)(arrived + 1) < round * gridDim.x) {
            }
        }
        __syncthreads();
    }
}

// Sums of tiles of eight, of which each goes on as soon as it is complete.
extern "C" __global__ void tiles(const int* in, int* out)
{
    unsigned lane = threadIdx.x % 32, mask = 0xffu << (lane & 24);
    int sum = in[threadIdx.x];
    if (lane < 16)
        sum *= 10;
    for (int offset = 4; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(mask, sum, offset, 8);
    __syncwarp(mask);
    out[threadIdx.x] = sum;
}

// `if (a) { if (b) return; … } else { … }`: behind it the lanes that are left are one again.
extern "C" __global__ void leavesInsideABranch(const int* in, int* out, int n)
{
    int i = threadIdx.x, x = in[i];
    if (x & 1) {
        if (x > n)
            return;
        x += 7;
    } else
        x *= 3;
    int sum = 0;
    for (int k = 0; k < 100; k++)
        sum += x ^ k;
    out[i] = sum;
}

// Each way of the branch has exchanges of its own, which meet those of the other.
extern "C" __global__ void waysExchange(const int* in, int* out)
{
    int i = threadIdx.x, x = in[i];
    if (i % 32 < 16) {
        int other = __shfl_xor_sync(0xffffffff, 2 * x, 16);
        int large = __popc(__ballot_sync(0xffffffff, x > 20));
        out[i] = other + 1000 * large + 100000 * __popc(__match_any_sync(0xffffffff, x % 4));
    } else {
        int other = __shfl_xor_sync(0xffffffff, 3 * x, 16);
        int large = __popc(__ballot_sync(0xffffffff, !(x < 50)));
        out[i] = other + 1000 * large + 100000 * __popc(__match_any_sync(0xffffffff, (x + 1) % 4));
    }
}
