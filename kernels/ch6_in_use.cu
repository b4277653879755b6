// Chapter 6.1: reductions as they are used. One sum per row of a matrix; sums of 16-bit floats; and a
// second launch that starts before the first one has ended.
//
// blockDim.x is a multiple of 32 everywhere. Any size is right.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// ---- the threads of a warp and of a block

// ANCHOR: add
// In f32 whatever the elements are, unless both are f16.
static __device__ float add(float sum, float x) { return sum + x; }
static __device__ float add(float sum, __half x) { return sum + __half2float(x); }
static __device__ float add(float sum, __nv_bfloat16 x) { return sum + __bfloat162float(x); }
static __device__ __half add(__half sum, __half x) { return __hadd(sum, x); }
// ANCHOR_END: add
static __device__ unsigned int add(unsigned int sum, unsigned int x) { return sum + x; }

// Lane 0 gets the sum of the warp.
template <typename T> static __device__ T warpSum(T sum)
{
    for (unsigned int lanes = 16; lanes > 0; lanes /= 2) {
        sum = add(sum, __shfl_down_sync(0xffffffff, sum, lanes));
    }
    return sum;
}

// Thread 0 gets the sum of the block.
template <typename T> static __device__ T blockSum(T sum)
{
    __shared__ T sums[32];
    unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    sum = warpSum(sum);
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sum = warpSum(lane < blockDim.x / 32 ? sums[lane] : T());
    }
    return sum;
}

// ---- one sum per row

// The rows lie one after another, `columns` elements each; the last may be shorter.

// ANCHOR: warpPerRow
extern "C" __global__ void warpPerRow(const unsigned int *matrix, unsigned int *sums, unsigned int n,
                                      unsigned int columns)
{
    size_t row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    size_t first = row * columns, end = min((unsigned long long)first + columns, (unsigned long long)n);
    unsigned int lane = threadIdx.x % 32, sum = 0;
    for (size_t i = first + lane; i < end; i += 32) {
        sum += matrix[i];
    }
    sum = warpSum(sum);
    if (lane == 0 && first < n) {
        sums[row] = sum;
    }
}
// ANCHOR_END: warpPerRow

// ANCHOR: blockPerRow
extern "C" __global__ void blockPerRow(const unsigned int *matrix, unsigned int *sums, unsigned int n,
                                       unsigned int columns)
{
    size_t row = blockIdx.x;
    size_t first = row * columns, end = min((unsigned long long)first + columns, (unsigned long long)n);
    unsigned int sum = 0;
    for (size_t i = first + threadIdx.x; i < end; i += blockDim.x) {
        sum += matrix[i];
    }
    sum = blockSum(sum);
    if (threadIdx.x == 0 && first < n) {
        sums[row] = sum;
    }
}
// ANCHOR_END: blockPerRow

// ---- one sum in two passes: of elements of type In, in accumulators of type Sum

// What a thread loads at once.
template <typename In> struct __align__(16) Pack {
    In items[16 / sizeof(In)];
};

template <typename In, typename Sum> static __device__ Sum sumOfBlock(const In *in, unsigned int n)
{
    const unsigned int each = 16 / sizeof(In);
    unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    Sum sum = Sum();
#pragma unroll 4
    for (unsigned int i = thread; i < n / each; i += threads) {
        Pack<In> pack = reinterpret_cast<const Pack<In> *>(in)[i];
        for (unsigned int k = 0; k < each; ++k) {
            sum = add(sum, pack.items[k]);
        }
    }
    if (thread < n % each) { // what fills no pack
        sum = add(sum, in[n - n % each + thread]);
    }
    return blockSum(sum);
}

template <typename Sum> static __device__ void sumOfPartials(const Sum *partials, float *out, unsigned int n)
{
    Sum sum = Sum();
    for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
        sum = add(sum, partials[i]);
    }
    sum = blockSum(sum);
    if (threadIdx.x == 0) {
        *out = add(0.0f, sum);
    }
}

// ANCHOR: dependent
// For compute capability 9.0 and newer; older GPUs start the second grid when the first has ended.
static __device__ void letTheNextGridStart()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion(); // griddepcontrol.launch_dependents
#endif
}
static __device__ void waitForTheGridBefore()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize(); // griddepcontrol.wait
#endif
}

template <typename In, typename Sum>
static __device__ void firstPass(const In *in, Sum *partials, unsigned int n)
{
    letTheNextGridStart(); // its block takes a place, and waits there
    Sum sum = sumOfBlock<In, Sum>(in, n);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

template <typename Sum, bool waits>
static __device__ void lastPass(const Sum *partials, float *out, unsigned int n)
{
    if (waits) {
        waitForTheGridBefore(); // until all of it has ended, and what it wrote can be seen
    }
    sumOfPartials(partials, out, n);
}
// ANCHOR_END: dependent

// ---- the kernels by name

#define FIRST_PASS(name, In, Sum)                                                                    \
    extern "C" __global__ void name(const In *in, Sum *partials, unsigned int n)                     \
    {                                                                                                \
        firstPass<In, Sum>(in, partials, n);                                                         \
    }
#define LAST_PASS(name, Sum, waits)                                                                  \
    extern "C" __global__ void name(const Sum *partials, float *out, unsigned int n)                 \
    {                                                                                                \
        lastPass<Sum, waits>(partials, out, n);                                                      \
    }

FIRST_PASS(firstPass_f32, float, float)
FIRST_PASS(firstPass_f16, __half, float)
FIRST_PASS(firstPass_bf16, __nv_bfloat16, float)
FIRST_PASS(firstPass_f16InF16, __half, __half)
LAST_PASS(lastPass, float, true)
LAST_PASS(lastPassInF16, __half, true)
LAST_PASS(lastPassNoWait, float, false)

// Both passes in one launch, by chapter 6's ticket.
extern "C" __global__ void onePass_f32(const float *in, float *partials, unsigned int n, float *out,
                                       unsigned int *ticket)
{
    __shared__ bool isLast;
    float sum = sumOfBlock<float, float>(in, n);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        __threadfence();
        isLast = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (isLast) {
        sumOfPartials(partials, out, gridDim.x);
    }
}
