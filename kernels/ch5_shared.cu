// Chapter 5: the dot product of two arrays. The threads of a block put their sums side by side in
// shared memory and add them up there; every block leaves one partial sum, and the host adds those.
//
// Thread i of the grid owns the elements i, i+G, i+2G, ..., where G is the number of threads in the
// grid. Any number of elements, of threads per block and of blocks is right, except where a kernel is
// kept to show a mistake. The kernels at the end measure what each memory space costs.

#define MAX_THREADS 1024 // per block
#define WARP 32

// ANCHOR: productsOfThisThread
static __device__ float productsOfThisThread(const float *a, const float *b, unsigned int n)
{
    float sum = 0;
    size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        sum += a[i] * b[i];
    }
    return sum;
}
// ANCHOR_END: productsOfThisThread

// ANCHOR: addUpTheCache
// Adds cache[0 .. blockDim.x-1] up into cache[0]: the second half onto the first, then the same
// with what is left. Rounding the half up leaves an odd element in the middle for the next step.
// All threads of the block take part in every barrier.
static __device__ void addUpTheCache(float *cache)
{
    unsigned int t = threadIdx.x;
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (t + half < length) {
            cache[t] += cache[t + half];
        }
        __syncthreads();
    }
}
// ANCHOR_END: addUpTheCache

// The post's kernel. The length of its cache is a constant, here the size of the largest block.
// ANCHOR: dot
extern "C" __global__ void dot(const float *a, const float *b, float *c, unsigned int n)
{
    __shared__ float cache[MAX_THREADS];
    unsigned int t = threadIdx.x;
    cache[t] = productsOfThisThread(a, b, n);
    // Every product is in the cache before any thread reads a neighbour's.
    __syncthreads();
    addUpTheCache(cache);
    if (t == 0) {
        c[blockIdx.x] = cache[0];
    }
}
// ANCHOR_END: dot

// The same with a cache whose length the launch gives: blockDim.x floats.
// ANCHOR: dotDynamic
extern "C" __global__ void dotDynamic(const float *a, const float *b, float *c, unsigned int n)
{
    extern __shared__ float dynamicCache[];
    unsigned int t = threadIdx.x;
    dynamicCache[t] = productsOfThisThread(a, b, n);
    __syncthreads();
    addUpTheCache(dynamicCache);
    if (t == 0) {
        c[blockIdx.x] = dynamicCache[0];
    }
}
// ANCHOR_END: dotDynamic

// The tree of neighbours. In step `stride` thread t works on element 2*stride*t, so the lanes of a
// warp are 2*stride words apart. These lie in a few banks, each of which serves one word at a time.
// ANCHOR: dotStrided
extern "C" __global__ void dotStrided(const float *a, const float *b, float *c, unsigned int n)
{
    __shared__ float cache[MAX_THREADS];
    unsigned int t = threadIdx.x;
    cache[t] = productsOfThisThread(a, b, n);
    __syncthreads();
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned int index = 2 * stride * t;
        if (index + stride < blockDim.x) {
            cache[index] += cache[index + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        c[blockIdx.x] = cache[0];
    }
}
// ANCHOR_END: dotStrided

// Nothing is left to the host: every block adds its partial sum to c[0], which must be 0 before the
// launch. The blocks come in any order, so the rounding differs from run to run.
// ANCHOR: dotAtomic
extern "C" __global__ void dotAtomic(const float *a, const float *b, float *c, unsigned int n)
{
    __shared__ float cache[MAX_THREADS];
    unsigned int t = threadIdx.x;
    cache[t] = productsOfThisThread(a, b, n);
    __syncthreads();
    addUpTheCache(cache);
    if (t == 0) {
        atomicAdd(c, cache[0]);
    }
}
// ANCHOR_END: dotAtomic

// The post's question: why should threads with nothing to add wait? Kept because it teaches.
extern "C" __global__ void dotBarrierInBranch(const float *a, const float *b, float *c,
                                              unsigned int n)
{
    __shared__ float cache[MAX_THREADS];
    unsigned int t = threadIdx.x;
    cache[t] = productsOfThisThread(a, b, n);
    __syncthreads();
    // ANCHOR: barrierInBranch
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (t + half < length) {
            cache[t] += cache[t + half];
            __syncthreads(); // wrong: the other threads never come here
        }
    }
    // ANCHOR_END: barrierInBranch
    if (t == 0) {
        c[blockIdx.x] = cache[0];
    }
}

// The same mistake in a block that goes on: every thread needs the sum, and the last one writes it.
// Whole warps add or skip. Those that skip go straight to barrier B, those that add wait at barrier A,
// and arrivals at either count alike: the barrier opens, and the warps at B read too early. No thread
// waits forever, since a thread past B exits. Kept because it teaches.
// ANCHOR: dotBarriersMispaired
extern "C" __global__ void dotBarriersMispaired(const float *a, const float *b, float *c,
                                                unsigned int n)
{
    __shared__ float cache[MAX_THREADS];
    unsigned int t = threadIdx.x;
    unsigned int warp = t / WARP;
    cache[t] = productsOfThisThread(a, b, n);
    __syncthreads();
    unsigned int warps = (blockDim.x + WARP - 1) / WARP;
    for (; warps > 1; warps = (warps + 1) / 2) {
        unsigned int half = (warps + 1) / 2;
        if (warp + half < warps) {
            unsigned int partner = t + half * WARP;
            cache[t] += partner < blockDim.x ? cache[partner] : 0;
            __syncthreads(); // barrier A, wrong: for the warps that add
        }
    }
    __syncthreads(); // barrier B: for all
    // The first warp's elements are what is left, and every thread adds them up for itself.
    float sum = 0;
    for (unsigned int lane = 0; lane < min(blockDim.x, WARP); lane++) {
        sum += cache[lane];
    }
    if (t == blockDim.x - 1) {
        c[blockIdx.x] = sum;
    }
}
// ANCHOR_END: dotBarriersMispaired

// ---- What a memory space costs, measured on a GPU. Only clocks and times matter here, not the
// results.

// ANCHOR: chase
// Latency: one thread goes from word to word, and each word says where the next one is, so no load
// can begin before the previous one has ended. Times `steps` loads in clocks of the multiprocessor,
// after a few to warm up. `end` keeps the loads from being optimised away.
template <typename Place, typename Load>
static __device__ void chase(Place place, Load load, unsigned int steps, long long *clocks,
                             unsigned long long *end)
{
#pragma unroll 1
    for (unsigned int step = 0; step < steps / 8; step++) {
        place = load(place);
    }
    long long start = clock64();
#pragma unroll 16
    for (unsigned int step = 0; step < steps; step++) {
        place = load(place);
    }
    *clocks = clock64() - start;
    *end = place;
}
// ANCHOR_END: chase

// No memory: a chain of multiplications and additions from register to register.
extern "C" __global__ void chaseRegister(unsigned int steps, long long *clocks, unsigned long long *end)
{
    float factor = (float)*end; // not known to the compiler
    chase(
        factor,
        [=](float value) {
            asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value) : "f"(factor));
            return value;
        },
        steps, clocks, end);
}

#define CHAIN 64 // words in a chain of shared, local or constant memory
#define HOP 33   // words from one to the next: odd, so that all are visited, and all banks

// ANCHOR: chaseShared
extern "C" __global__ void chaseShared(unsigned int steps, long long *clocks,
                                       unsigned long long *end)
{
    __shared__ unsigned int chain[CHAIN];
#pragma unroll 1
    for (unsigned int i = 0; i < CHAIN; i++) {
        chain[i] = (unsigned int)__cvta_generic_to_shared(&chain[(i + HOP) % CHAIN]);
    }
    chase(
        chain[0],
        [](unsigned int place) {
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(place) : : "memory");
            return place;
        },
        steps, clocks, end);
}
// ANCHOR_END: chaseShared

// Local memory belongs to one thread, but lies where global memory lies. L1 holds these few words,
// which take 32 times their size there: next to each lies the same word of the other lanes.
extern "C" __global__ void chaseLocal(unsigned int steps, long long *clocks, unsigned long long *end)
{
    unsigned long long chain[CHAIN];
#pragma unroll 1
    for (unsigned int i = 0; i < CHAIN; i++) {
        chain[i] = __cvta_generic_to_local(&chain[(i + HOP) % CHAIN]);
    }
    chase(
        chain[0],
        [](unsigned long long place) {
            asm volatile("ld.local.u64 %0, [%0];" : "+l"(place) : : "memory");
            return place;
        },
        steps, clocks, end);
}

// Constant memory is written before the kernel starts. Each word holds the distance in bytes of the
// next one.
#define NEXT(i) ((i) + HOP) % CHAIN * 4
#define NEXT4(i) NEXT(i), NEXT(i + 1), NEXT(i + 2), NEXT(i + 3)
#define NEXT8(i) NEXT4(i), NEXT4(i + 4)
__constant__ unsigned int constantChain[CHAIN] = {NEXT8(0),  NEXT8(8),  NEXT8(16), NEXT8(24),
                                                  NEXT8(32), NEXT8(40), NEXT8(48), NEXT8(56)};

extern "C" __global__ void chaseConstant(unsigned int steps, long long *clocks, unsigned long long *end)
{
    unsigned long long chain = __cvta_generic_to_constant(constantChain);
    chase(
        (unsigned int)*end % CHAIN * 4, // not known to the compiler
        [=](unsigned int place) {
            asm volatile("ld.const.u32 %0, [%1];" : "=r"(place) : "l"(chain + place) : "memory");
            return place;
        },
        steps, clocks, end);
}

// A chain through global memory: one word in each of `lines` lines of 128 bytes, each HOP lines after
// the one before. `start` receives its first place.
#define LINE 16 // words of 8 bytes
extern "C" __global__ void linkGlobal(unsigned long long *chain, unsigned int lines,
                                      unsigned long long *start)
{
    unsigned int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line < lines) {
        chain[(size_t)line * LINE] = (unsigned long long)&chain[(size_t)((line + HOP) % lines) * LINE];
    }
    if (line == 0) {
        *start = (unsigned long long)chain;
    }
}

// Starts where the previous run ended.
extern "C" __global__ void chaseGlobal(unsigned int steps, long long *clocks, unsigned long long *end)
{
    // .ca: cached in L1.
    chase(
        *end, [](unsigned long long place) { return __ldca((const unsigned long long *)place); }, steps,
        clocks, end);
}

extern "C" __global__ void chaseGlobalPastL1(unsigned int steps, long long *clocks, unsigned long long *end)
{
    // .cg: cached in L2 only.
    chase(
        *end, [](unsigned long long place) { return __ldcg((const unsigned long long *)place); }, steps,
        clocks, end);
}

#define LOADS 8 // independent loads per thread in flight

// ANCHOR: stream
// Bandwidth: all threads of a full grid load, each with LOADS loads in flight.
template <typename Load>
static __device__ void stream(Load load, unsigned int turns, float *out)
{
    float sum[LOADS] = {};
#pragma unroll 1
    for (unsigned int turn = 0; turn < turns; turn++) {
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) {
            sum[k] = load(turn, k, sum[k]);
        }
    }
    float all = 0;
    for (unsigned int k = 0; k < LOADS; k++) {
        all += sum[k];
    }
    if (all == 1.5f) { // never; but the compiler cannot know
        *out = all;
    }
}
// ANCHOR_END: stream

// A multiply-add reads three registers: 12 bytes.
extern "C" __global__ void streamRegister(unsigned int turns, float *out)
{
    float factor = *out, term = factor + 1;
    // Two in place of each load, so that the loop itself doesn't count.
    stream(
        [=](unsigned int, unsigned int, float sum) { return fmaf(fmaf(sum, factor, term), factor, term); },
        turns, out);
}

// A warp reads 32 words in a row, one from each bank.
extern "C" __global__ void streamShared(unsigned int turns, float *out)
{
    __shared__ float words[MAX_THREADS + WARP * LOADS];
    for (unsigned int i = threadIdx.x; i < MAX_THREADS + WARP * LOADS; i += blockDim.x) {
        words[i] = *out;
    }
    __syncthreads();
    stream(
        [&](unsigned int turn, unsigned int k, float sum) {
            return sum + words[(threadIdx.x + turn * WARP) % MAX_THREADS + k * WARP];
        },
        turns, out);
}

extern "C" __global__ void streamLocal(unsigned int turns, float *out)
{
    float words[2 * LOADS];
    for (unsigned int i = 0; i < 2 * LOADS; i++) {
        words[i] = *out;
    }
    // Loaded by address: the compiler would keep so short an array in registers.
    unsigned long long address = __cvta_generic_to_local(words);
    stream(
        [=](unsigned int turn, unsigned int k, float sum) {
            float word;
            asm volatile("ld.local.f32 %0, [%1];"
                         : "=f"(word)
                         : "l"(address + 4 * (turn % LOADS) + 4 * k)
                         : "memory");
            return sum + word;
        },
        turns, out);
}

// All lanes of a warp read the same word, which is what constant memory is made for.
extern "C" __global__ void streamConstant(unsigned int turns, float *out)
{
    unsigned int first = threadIdx.x / WARP;
    stream(
        [=](unsigned int turn, unsigned int k, float sum) {
            return sum + __uint_as_float(constantChain[(first + turn) % WARP + k]);
        },
        turns, out);
}

// 16 bytes per load. All blocks read the same 16 KiB, which L1 keeps.
extern "C" __global__ void streamGlobal(const float4 *data, unsigned int turns, float *out)
{
    stream(
        [=](unsigned int turn, unsigned int k, float sum) {
            float4 four = __ldca(&data[(threadIdx.x + (turn + k) * WARP) % MAX_THREADS]);
            return sum + four.x + four.y + four.z + four.w;
        },
        turns, out);
}

// 16 bytes per load, each from a different one of the first `mask`+1 places, a power of two.
extern "C" __global__ void streamGlobalPastL1(const float4 *data, unsigned int mask, unsigned int turns,
                                              float *out)
{
    unsigned int threads = gridDim.x * blockDim.x;
    unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    stream(
        [=](unsigned int turn, unsigned int k, float sum) {
            float4 four = __ldcg(&data[((turn * LOADS + k) * threads + thread) & mask]);
            return sum + four.x + four.y + four.z + four.w;
        },
        turns, out);
}
