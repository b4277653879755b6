// Chapter 6.2: reductions as they are used. One reduction per row of a matrix; sums of 16-bit floats; and a
// second launch that starts before the first one has ended.
//
// blockDim.x is a multiple of 32 everywhere. Any size is right.

#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// What a thread loads at once.
template <typename In> struct __align__(16) Pack {
    In items[16 / sizeof(In)];
};

// ---- the threads of a warp and of a block

// ANCHOR: add
// In f32 whatever the elements are, unless both are f16.
static __device__ float wide(float x) { return x; }
static __device__ float wide(__half x) { return __half2float(x); }
static __device__ float wide(__nv_bfloat16 x) { return __bfloat162float(x); }
template <typename In> static __device__ float add(float sum, In x) { return sum + wide(x); }
static __device__ __half add(__half sum, __half x) { return __hadd(sum, x); }
// ANCHOR_END: add

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

// ---- one reduction per row

// The rows lie one after another, `columns` elements each; the last may be shorter. Every row begins at a
// multiple of 16 bytes: `columns` is a multiple of what a Pack holds. Sizes and rows have 64 bits.

// ANCHOR: rowSum
// By what a row is reduced: an operator as in chapter 6, and the operand that an element is, or a pack.
struct RowSum {
    typedef float Element;
    static __device__ float identity() { return 0; }
    static __device__ float combine(float first, float second) { return first + second; }
    template <typename In> static __device__ float of(In x) { return wide(x); }
    template <typename In> static __device__ float of(const Pack<In> &pack)
    {
        float sum = 0;
        for (In x : pack.items) {
            sum = add(sum, x);
        }
        return sum;
    }
};
// ANCHOR_END: rowSum

// ANCHOR: softmax
// What a softmax needs of a row: its maximum, and the sum of exp(x - maximum). The part with the smaller
// maximum is scaled down to the other's. The identity has the least finite float, since the difference of
// two infinities is not a number. A row of -infinity alone has that maximum and the sum 0.
struct Softmax {
    struct Element {
        float max, sum;
    };
    static __device__ Element identity() { return {__int_as_float(0xff7fffff), 0}; }
    static __device__ Element combine(Element first, Element second)
    {
        float max = fmaxf(first.max, second.max);
        return {max, first.sum * __expf(first.max - max) + second.sum * __expf(second.max - max)};
    }
    template <typename In> static __device__ Element of(In x) { return {wide(x), 1}; }
    template <typename In> static __device__ Element of(const Pack<In> &pack)
    {
        Element pair = identity(); // also what a pack of -infinity is
        for (In x : pack.items) {
            pair.max = fmaxf(pair.max, wide(x));
        }
        for (In x : pack.items) {
            pair.sum += __expf(wide(x) - pair.max);
        }
        return pair;
    }
};
// ANCHOR_END: softmax

// What the lane has that is `distance` further on, of `width` neighbours.
static __device__ float further(float mine, unsigned int distance, unsigned int width)
{
    return __shfl_down_sync(0xffffffff, mine, distance, width);
}
static __device__ Softmax::Element further(Softmax::Element mine, unsigned int distance, unsigned int width)
{
    return {further(mine.max, distance, width), further(mine.sum, distance, width)};
}

// The first of LANES neighbouring lanes gets what they hold, combined.
template <typename Operator, unsigned int LANES>
static __device__ typename Operator::Element ofLanes(typename Operator::Element mine)
{
#pragma unroll
    for (unsigned int lanes = LANES / 2; lanes > 0; lanes /= 2) {
        mine = Operator::combine(mine, further(mine, lanes, LANES));
    }
    return mine;
}

// Elements of the row that begins at `first`; none beyond the end.
static __device__ unsigned int lengthOfRow(size_t first, size_t n, unsigned int columns)
{
    return first < n ? min((size_t)columns, n - first) : 0;
}

// ANCHOR: shareOfRow
// What one of THREADS threads takes of a row: every THREADS-th pack, with LOADS loads in flight.
template <typename Operator, typename In, unsigned int THREADS, unsigned int LOADS>
static __device__ typename Operator::Element shareOfRow(const In *row, unsigned int length,
                                                        unsigned int thread)
{
    const unsigned int each = 16 / sizeof(In), packs = length / each;
    typename Operator::Element result = Operator::identity();
#pragma unroll 1
    for (unsigned int first = thread; first < packs; first += LOADS * THREADS) {
        Pack<In> pack[LOADS];
#pragma unroll
        for (unsigned int k = 0; k < LOADS; ++k) {
            if (first + k * THREADS < packs) {
                pack[k] = reinterpret_cast<const Pack<In> *>(row)[first + k * THREADS];
            }
        }
#pragma unroll
        for (unsigned int k = 0; k < LOADS; ++k) {
            if (first + k * THREADS < packs) {
                result = Operator::combine(result, Operator::of(pack[k]));
            }
        }
    }
#pragma unroll 1
    for (unsigned int i = packs * each + thread; i < length; i += THREADS) { // what fills no pack
        result = Operator::combine(result, Operator::of(row[i]));
    }
    return result;
}
// ANCHOR_END: shareOfRow

// ANCHOR: lanesPerRow
// LANES neighbouring lanes for a row: a warp has 32 / LANES rows.
template <typename Operator, typename In, unsigned int LANES, unsigned int LOADS>
static __device__ void lanesPerRow(const In *matrix, typename Operator::Element *results, size_t n,
                                   unsigned int columns)
{
    size_t row = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / LANES, first = row * columns;
    unsigned int length = lengthOfRow(first, n, columns), lane = threadIdx.x % LANES;
    auto mine = shareOfRow<Operator, In, LANES, LOADS>(matrix + first, length, lane);
    mine = ofLanes<Operator, LANES>(mine);
    if (lane == 0 && first < n) {
        results[row] = mine;
    }
}
// ANCHOR_END: lanesPerRow

// ANCHOR: blockPerRow
// A block of THREADS threads for a row.
template <typename Operator, typename In, unsigned int THREADS, unsigned int LOADS>
static __device__ void blockPerRow(const In *matrix, typename Operator::Element *results, size_t n,
                                   unsigned int columns)
{
    __shared__ typename Operator::Element ofWarps[THREADS / 32];
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t row = blockIdx.x, first = row * columns;
    unsigned int length = lengthOfRow(first, n, columns);
    auto mine = shareOfRow<Operator, In, THREADS, LOADS>(matrix + first, length, threadIdx.x);
    mine = ofLanes<Operator, 32>(mine);
    if (lane == 0) {
        ofWarps[warp] = mine;
    }
    __syncthreads();
    if (warp == 0) {
        mine = lane < THREADS / 32 ? ofWarps[lane] : Operator::identity();
        mine = ofLanes<Operator, 32>(mine);
        if (lane == 0 && first < n) {
            results[row] = mine;
        }
    }
}
// ANCHOR_END: blockPerRow

#define LANES_PER_ROW(name, Operator, In, LANES, LOADS)                                              \
    extern "C" __global__ void name(const In *matrix, Operator::Element *results, size_t n,          \
                                    unsigned int columns)                                            \
    {                                                                                                \
        lanesPerRow<Operator, In, LANES, LOADS>(matrix, results, n, columns);                        \
    }
#define BLOCK_PER_ROW(name, Operator, In, THREADS, LOADS)                                            \
    extern "C" __global__ void __launch_bounds__(THREADS)                                            \
        name(const In *matrix, Operator::Element *results, size_t n, unsigned int columns)           \
    {                                                                                                \
        blockPerRow<Operator, In, THREADS, LOADS>(matrix, results, n, columns);                      \
    }

LANES_PER_ROW(lanesPerRow_f32, RowSum, float, 4, 4)
LANES_PER_ROW(lanesPerRow_f16, RowSum, __half, 4, 2)
LANES_PER_ROW(warpPerRow_f32, RowSum, float, 32, 4)
LANES_PER_ROW(warpPerRow_f16, RowSum, __half, 32, 4)
BLOCK_PER_ROW(blockPerRow_f32, RowSum, float, 256, 4)
BLOCK_PER_ROW(blockPerRow_f16, RowSum, __half, 256, 4)
LANES_PER_ROW(softmaxPerRow_f32, Softmax, float, 32, 4)
LANES_PER_ROW(softmaxPerRow_f16, Softmax, __half, 32, 4)

// ---- one sum in two passes: of elements of type In, in accumulators of type Sum

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

// Thread 0 gets the sum.
template <typename Sum> static __device__ Sum sumOfPartials(const Sum *partials, unsigned int n)
{
    Sum sum = Sum();
    for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
        sum = add(sum, partials[i]);
    }
    return blockSum(sum);
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
    Sum sum = sumOfPartials(partials, n);
    if (threadIdx.x == 0) {
        *out = wide(sum);
    }
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

// Sums of f32, and the result as an f16: rounded once, at the end.
extern "C" __global__ void lastPassRounded(const float *partials, float *out, unsigned int n)
{
    waitForTheGridBefore();
    float sum = sumOfPartials(partials, n);
    if (threadIdx.x == 0) {
        *out = wide(__float2half(sum));
    }
}

// ANCHOR: runningSum
// One thread adds one element after another to an f16.
extern "C" __global__ void runningSum_f16(const __half *in, float *out, unsigned int n)
{
    __half sum = __float2half(0);
    for (unsigned int i = 0; i < n; ++i) {
        sum = add(sum, in[i]);
    }
    *out = wide(sum);
}
// ANCHOR_END: runningSum

// Both passes in one launch, by chapter 6's ticket: with two fences, or with the order in the operation.
enum class Ticket { Fenced, AcquireRelease };

template <Ticket TICKET>
__device__ void onePass(const float *in, float *partials, unsigned int n, float *out, unsigned int *ticket)
{
    __shared__ bool isLast;
    float sum = sumOfBlock<float, float>(in, n);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        if (TICKET == Ticket::Fenced) {
            __threadfence();
            isLast = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
            __threadfence();
        } else {
            cuda::atomic_ref<unsigned int, cuda::thread_scope_device> tickets(*ticket);
            isLast = tickets.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
        }
    }
    __syncthreads();
    if (isLast) {
        sum = sumOfPartials(partials, gridDim.x);
        if (threadIdx.x == 0) {
            *out = sum;
            if (TICKET == Ticket::AcquireRelease) {
                *ticket = 0; // for the next launch; atomicInc does it by itself
            }
        }
    }
}

#define ONE_PASS(name, TICKET)                                                                       \
    extern "C" __global__ void name(const float *in, float *partials, unsigned int n, float *out,    \
                                    unsigned int *ticket)                                            \
    {                                                                                                \
        onePass<TICKET>(in, partials, n, out, ticket);                                               \
    }

ONE_PASS(onePass_f32, Ticket::Fenced)
ONE_PASS(onePassAcqRel_f32, Ticket::AcquireRelease)
