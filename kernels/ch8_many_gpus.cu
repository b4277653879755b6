// Chapter 8: one array, several GPUs. Each GPU adds up the share that lies in its own memory, at the
// speed of that memory; the kernels differ in who adds the shares.
//
// reduceShare leaves the sum of one GPU's share; the host, or NCCL, adds those. reduceIntoPeer is launched
// once on each GPU, and all blocks of all GPUs finish in the same words of scratch memory, which lie on one
// of them. The loads are those of chapter 7's last rung: 16 bytes each, four in flight per thread.
//
// All are right for shares of 0 to 2^32 - 2^25 elements that begin at a multiple of 16 bytes. Whole
// numbers are unsigned, so that sums wrap as the host's do.

typedef unsigned long long Word;

constexpr unsigned int BLOCK = 512;
constexpr unsigned int LOADS = 4;

// ANCHOR: operators
struct Sum {
    template <typename T> static __device__ T identity() { return 0; }
    template <typename T> static __device__ T combine(T a, T b) { return a + b; }
};
struct Minimum {
    template <typename T> static __device__ T identity() { return 0x7fffffff; }
    template <typename T> static __device__ T combine(T a, T b) { return a < b ? a : b; }
};
struct Maximum {
    template <typename T> static __device__ T identity() { return -0x7fffffff - 1; }
    template <typename T> static __device__ T combine(T a, T b) { return a > b ? a : b; }
};
// ANCHOR_END: operators

// 16 bytes of an array that is read once.
static __device__ uint4 load16(const uint4 *address)
{
    uint4 v;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(address));
    return v;
}

// ANCHOR: ofThread
// What the thread makes of its elements: tile by tile, and in each tile all loads before the first
// combination. Block 0 takes the elements behind the last 16 bytes, at most three.
template <typename T, typename Op> static __device__ T ofThread(const T *g_idata, unsigned int size)
{
    constexpr unsigned int PER = 16 / sizeof(T);
    unsigned int vectors = size / PER, tail = size % PER;
    T result = Op::template identity<T>();
    if (blockIdx.x == 0 && threadIdx.x < tail) {
        result = g_idata[size - tail + threadIdx.x];
    }
    for (unsigned int first = blockIdx.x * LOADS * BLOCK; first < vectors;
         first += gridDim.x * LOADS * BLOCK) {
        uint4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            unsigned int i = first + k * BLOCK + threadIdx.x;
            if (i < vectors) {
                v[k] = load16((const uint4 *)g_idata + i);
            }
        }
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            if (first + k * BLOCK + threadIdx.x < vectors) {
                const T *element = (const T *)&v[k];
#pragma unroll
                for (int e = 0; e < PER; ++e) {
                    result = Op::combine(result, element[e]);
                }
            }
        }
    }
    return result;
}
// ANCHOR_END: ofThread

// The block's result, in thread 0: within the warps by shuffles, then the first warp.
template <typename T, typename Op> static __device__ T ofBlock(T mine, T *shared)
{
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        mine = Op::combine(mine, __shfl_down_sync(0xffffffff, mine, lanes));
    }
    if (lane == 0) {
        shared[warp] = mine;
    }
    __syncthreads();
    if (warp == 0) {
        mine = lane < BLOCK / 32 ? shared[lane] : Op::template identity<T>();
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            mine = Op::combine(mine, __shfl_down_sync(0xffffffff, mine, lanes));
        }
    }
    return mine;
}

// ANCHOR: reduceShare
// One GPU's share in one launch. Each block leaves its result and takes a ticket; the block with the last
// ticket combines them, in the order of the blocks, so that floats give the same bits every time.
// `ticket` is 0 before the first launch, and 0 again after each.
template <typename T, typename Op>
static __device__ void share(const T *g_idata, T *g_odata, unsigned int size, T *partials,
                             unsigned int *ticket, T *shared, bool *isLast)
{
    T result = ofBlock<T, Op>(ofThread<T, Op>(g_idata, size), shared);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = result;
        __threadfence(); // the result before the ticket
        *isLast = atomicAdd(ticket, 1) == gridDim.x - 1;
        __threadfence(); // the ticket before the results of the others; the barrier extends it to the block
    }
    __syncthreads();
    if (*isLast) {
        result = Op::template identity<T>();
        for (unsigned int i = threadIdx.x; i < gridDim.x; i += BLOCK) {
            result = Op::combine(result, ((volatile T *)partials)[i]);
        }
        result = ofBlock<T, Op>(result, shared);
        if (threadIdx.x == 0) {
            *g_odata = result;
            *ticket = 0; // for the next launch
        }
    }
}
// ANCHOR_END: reduceShare

#define SHARE(NAME, T, OP)                                                                         \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                            \
        NAME(const T *g_idata, T *g_odata, unsigned int size, T *partials, unsigned int *ticket)   \
    {                                                                                              \
        __shared__ T shared[BLOCK / 32];                                                           \
        __shared__ bool isLast;                                                                    \
        share<T, OP>(g_idata, g_odata, size, partials, ticket, shared, &isLast);                   \
    }
SHARE(reduceShare, unsigned int, Sum)
SHARE(reduceShareI64, Word, Sum)
SHARE(reduceShareF32, float, Sum)
SHARE(reduceShareF64, double, Sum)
SHARE(reduceShareMin, int, Minimum)
SHARE(reduceShareMax, int, Maximum)

// ANCHOR: digits
// Chapter 7's digits: 32 bits of a block's sum for each word. A word counts in its lower 16 bits the blocks
// that have added to it, and has their total in the upper 48.
template <typename T> struct Digits;
template <> struct Digits<unsigned int> {
    static constexpr int COUNT = 1;
    static __device__ Word digit(unsigned int sum, int) { return sum; }
    static __device__ unsigned int number(Word total) { return (unsigned int)total; }
};
template <> struct Digits<Word> {
    static constexpr int COUNT = 2;
    static __device__ Word digit(Word sum, int k) { return k == 0 ? (unsigned int)sum : sum >> 32; }
    // Lane k has the total of digit k.
    static __device__ Word number(Word total)
    {
        return __shfl_sync(3, total, 0) + (__shfl_sync(3, total, 1) << 32);
    }
};
// ANCHOR_END: digits

// ANCHOR: tellHost
// The sum, and then the word that the host looks at: both lie in its memory.
template <typename T> static __device__ void tellHost(T sum, T *g_odata, unsigned int *done)
{
    *g_odata = sum;
    __threadfence_system(); // the sum before the word
    *(volatile unsigned int *)done = 1;
}
// ANCHOR_END: tellHost

// ANCHOR: reduceIntoPeer
// Which threads an atomic is atomic to.
enum class Scope { Gpu, System };

template <Scope SCOPE> static __device__ Word add(Word *word, Word more)
{
    return SCOPE == Scope::System ? atomicAdd_system(word, more) : atomicAdd(word, more);
}

// All blocks of all GPUs, `blocks` of them, add to `scratch`, which lies on one GPU; the others reach it
// through NVLink or PCIe. So the atomics are of system scope: atomicAdd is atomic among the threads of one
// GPU alone. The block that completes the count has the sum of everything.
template <typename T, Scope SCOPE>
static __device__ void intoPeer(const T *g_idata, T *g_odata, unsigned int size, Word *scratch,
                                unsigned int blocks, unsigned int *done, T *shared)
{
    constexpr int COUNT = Digits<T>::COUNT;
    constexpr unsigned int LANES = (1 << COUNT) - 1;
    T sum = ofBlock<T, Sum>(ofThread<T, Sum>(g_idata, size), shared);
    int k = threadIdx.x; // lane k has digit k
    if (k < 32) {
        sum = __shfl_sync(0xffffffff, sum, 0);
    }
    if (k < COUNT) {
        Word mine = Digits<T>::digit(sum, k) << 16 | 1;
        Word all = add<SCOPE>(scratch + k, mine) + mine;
        if (__shfl_sync(LANES, (unsigned int)all % 0x10000, 0) == blocks) {
            while ((unsigned int)all % 0x10000 != blocks) { // another digit may still be on its way
                all = *(volatile Word *)(scratch + k);
            }
            *(volatile Word *)(scratch + k) = 0; // for the next launch
            sum = Digits<T>::number(all >> 16);
            __syncwarp(LANES); // all words are 0 before the host is told
            if (k == 0) {
                tellHost(sum, g_odata, done);
            }
        }
    }
}
// ANCHOR_END: reduceIntoPeer

// ANCHOR: intoPeerFloats
// Floats have an atomic addition of their own, and no bits to spare for a count: that is a second word, and
// a second trip. They are added in the order of arrival, so the last bits may differ from run to run;
// chapter 7's digits of a float would mend that, for nine words.
template <typename T>
static __device__ void intoPeerFloats(const T *g_idata, T *g_odata, unsigned int size, Word *scratch,
                                      unsigned int blocks, unsigned int *done, T *shared)
{
    T sum = ofBlock<T, Sum>(ofThread<T, Sum>(g_idata, size), shared);
    T *total = (T *)scratch;
    unsigned int *arrived = (unsigned int *)(scratch + 1);
    if (threadIdx.x == 0) {
        atomicAdd_system(total, sum);
        __threadfence_system(); // the sum before the count
        if (atomicAdd_system(arrived, 1) == blocks - 1) {
            __threadfence_system(); // the count before the sums of the others
            sum = atomicAdd_system(total, 0);
            *(volatile T *)total = 0; // for the next launch
            *(volatile unsigned int *)arrived = 0;
            tellHost(sum, g_odata, done);
        }
    }
}
// ANCHOR_END: intoPeerFloats

#define INTO_PEER(NAME, T, ...)                                                                    \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                            \
        NAME(const T *g_idata, T *g_odata, unsigned int size, Word *scratch, unsigned int blocks,  \
             unsigned int *done)                                                                   \
    {                                                                                              \
        __shared__ T shared[BLOCK / 32];                                                           \
        __VA_ARGS__(g_idata, g_odata, size, scratch, blocks, done, shared);                        \
    }
INTO_PEER(reduceIntoPeer, unsigned int, intoPeer<unsigned int, Scope::System>)
INTO_PEER(reduceIntoPeerI64, Word, intoPeer<Word, Scope::System>)
INTO_PEER(reduceIntoPeerNarrow, unsigned int, intoPeer<unsigned int, Scope::Gpu>)
INTO_PEER(reduceIntoPeerF32, float, intoPeerFloats<float>)
INTO_PEER(reduceIntoPeerF64, double, intoPeerFloats<double>)
