// Chapter 7: how fast can a sum be? A ladder of kernels, each a step away from the one before,
// and at its end reduceLimit, the sum at the speed of the memory. The ladder adds `int`s; its last rung
// exists for `float` and `long long` too. Whole numbers are unsigned here, so that sums wrap as the
// host's do: signed overflow is undefined in C++.
//
// All are right for any size from 0 to 2^32 - 2^25 (beyond the last element indices go on for a tile,
// and must not wrap), and for an array that begins at any element. From reduceShuffle on, a block
// consists of whole warps. The kernels before reduceSinglePass leave one partial sum per block; the
// host launches them again over those until one is left.

typedef unsigned long long Word;

// The most threads and warps that a block has.
constexpr unsigned int MAX_BLOCK = 1024;
constexpr unsigned int MAX_WARPS = MAX_BLOCK / 32;

// ANCHOR: reduceSharedTree
// The tree of chapter 3 in shared memory: step `stride` adds elements that are `stride` apart.
// Thread t adds the pair that begins at 2*stride*t. So working threads are neighbours, but the words
// that they touch are not.
extern "C" __global__ void reduceSharedTree(const unsigned int *g_idata, unsigned int *g_odata,
                                            unsigned int size)
{
    __shared__ unsigned int shared[MAX_BLOCK];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    shared[threadIdx.x] = i < size ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned int index = 2 * stride * threadIdx.x;
        if (index + stride < blockDim.x) {
            shared[index] += shared[index + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = shared[0];
    }
}
// ANCHOR_END: reduceSharedTree

// ANCHOR: reduceSequential
// The second half is added onto the first: a warp touches neighbouring words, in 32 different banks.
static __device__ unsigned int sequentialTree(unsigned int *shared)
{
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (threadIdx.x + half < length) {
            shared[threadIdx.x] += shared[threadIdx.x + half];
        }
        __syncthreads();
    }
    return shared[0];
}

extern "C" __global__ void reduceSequential(const unsigned int *g_idata, unsigned int *g_odata,
                                            unsigned int size)
{
    __shared__ unsigned int shared[MAX_BLOCK];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    shared[threadIdx.x] = i < size ? g_idata[i] : 0;
    __syncthreads();
    unsigned int sum = sequentialTree(shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reduceSequential

// ANCHOR: reduceFirstAdd
// Each thread loads two elements and adds them before the tree begins: half as many blocks.
extern "C" __global__ void reduceFirstAdd(const unsigned int *g_idata, unsigned int *g_odata,
                                          unsigned int size)
{
    __shared__ unsigned int shared[MAX_BLOCK];
    unsigned int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    unsigned int first = i < size ? g_idata[i] : 0;
    unsigned int second = i + blockDim.x < size ? g_idata[i + blockDim.x] : 0;
    shared[threadIdx.x] = first + second;
    __syncthreads();
    unsigned int sum = sequentialTree(shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reduceFirstAdd

// ANCHOR: reduceInFlight
// A tile has ITEMS elements per thread; block b owns the tiles b, b+G, ... in a grid of G blocks. All
// loads of a tile are issued before the first addition waits for one, so each thread has ITEMS loads
// in flight.
constexpr int ITEMS = 8;

static __device__ unsigned int sumOfTiles(const unsigned int *g_idata, unsigned int size)
{
    unsigned int sum = 0, tile = ITEMS * blockDim.x;
    for (unsigned int first = blockIdx.x * tile; first < size; first += gridDim.x * tile) {
        unsigned int item[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            unsigned int i = first + k * blockDim.x + threadIdx.x;
            item[k] = i < size ? g_idata[i] : 0;
        }
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            sum += item[k];
        }
    }
    return sum;
}

extern "C" __global__ void reduceInFlight(const unsigned int *g_idata, unsigned int *g_odata,
                                          unsigned int size)
{
    __shared__ unsigned int shared[MAX_BLOCK];
    shared[threadIdx.x] = sumOfTiles(g_idata, size);
    __syncthreads();
    unsigned int sum = sequentialTree(shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reduceInFlight

// ANCHOR: reduceShuffle
// The sum of a warp, in lane 0: each lane passes its number down, five times. No shared memory, no
// barrier. (A template, since the last rung adds other types too.)
template <typename T> static __device__ T warpSum(T sum)
{
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, lanes);
    }
    return sum;
}

#if __CUDA_ARCH__ >= 800
// One instruction, from Ampere on.
template <> __device__ unsigned int warpSum(unsigned int sum)
{
    return __reduce_add_sync(0xffffffff, sum);
}
#endif

// The sum of a block of whole warps, in thread 0: each warp leaves one number, and one barrier
// later the first warp adds those. `shared` has room for one number per warp and is used for nothing
// else.
template <typename T> static __device__ T blockSum(T sum, T *shared)
{
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    sum = warpSum(sum);
    if (lane == 0) {
        shared[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sum = warpSum(lane < warps ? shared[lane] : T(0));
    }
    return sum;
}

extern "C" __global__ void reduceShuffle(const unsigned int *g_idata, unsigned int *g_odata,
                                         unsigned int size)
{
    __shared__ unsigned int shared[MAX_WARPS];
    unsigned int sum = blockSum(sumOfTiles(g_idata, size), shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reduceShuffle

// ANCHOR: load16
// How 16 bytes are loaded: as read-only data, which has to be asked for (nvcc makes an ordinary load of
// *address); as data that is read once; with L1::no_allocate; with that, 256 bytes into L2 at a time.
enum class Load { ReadOnly, Streaming, PassL1, PassL1By256 };

template <Load LOAD> static __device__ uint4 load16(const uint4 *address)
{
    uint4 v;
    if constexpr (LOAD == Load::ReadOnly) {
        v = __ldg(address);
    } else if constexpr (LOAD == Load::Streaming) {
        v = __ldcs(address);
    } else if constexpr (LOAD == Load::PassL1) {
        asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(address));
    } else {
        asm("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(address));
    }
    return v;
}

// ANCHOR_END: load16

// The sum of the numbers in 16 bytes.
static __device__ unsigned int sumOf(uint4 v, unsigned int)
{
    return (v.x + v.y) + (v.z + v.w);
}
static __device__ float sumOf(uint4 v, float)
{
    return (__uint_as_float(v.x) + __uint_as_float(v.y)) +
           (__uint_as_float(v.z) + __uint_as_float(v.w));
}
static __device__ Word sumOf(uint4 v, Word)
{
    return (Word(v.y) << 32 | v.x) + (Word(v.w) << 32 | v.z);
}

// ANCHOR: reduceVector
// sumOfTiles, 16 bytes at a time, with LOADS loads in flight. Such a load must begin at a multiple of
// 16 bytes, so block 0 adds the elements before the first of those and after the last (at most 6),
// one per thread. ONE_TILE: there is one block, and its first tile holds the whole array.
template <typename T, int LOADS, Load LOAD, bool ONE_TILE = false>
static __device__ T sumOfVectors(const T *g_idata, unsigned int size, unsigned int threads)
{
    constexpr unsigned int PER = 16 / sizeof(T);
    unsigned int head = min(size, (unsigned int)(-(Word)g_idata % 16 / sizeof(T)));
    unsigned int vectors = (size - head) / PER, tail = (size - head) % PER;
    const uint4 *body = (const uint4 *)(g_idata + head);

    T edge = 0; // in flight with the other loads
    if ((ONE_TILE || blockIdx.x == 0) && threadIdx.x < head + tail) {
        edge = g_idata[threadIdx.x < head ? threadIdx.x : size - tail - head + threadIdx.x];
    }
    T sum = 0;
    unsigned int tile = LOADS * threads, first = ONE_TILE ? 0 : blockIdx.x * tile;
    do { // no test before the first tile: each load has its own
        uint4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            unsigned int i = first + k * threads + threadIdx.x;
            v[k] = i < vectors ? load16<LOAD>(body + i) : uint4{};
        }
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            sum += sumOf(v[k], T());
        }
        first += gridDim.x * tile;
    } while (!ONE_TILE && first < vectors);
    return sum + edge;
}

// As many bytes in flight as before, with a quarter of the loads.
extern "C" __global__ void reduceVector(const unsigned int *g_idata, unsigned int *g_odata,
                                        unsigned int size)
{
    __shared__ unsigned int shared[MAX_WARPS];
    auto sum = sumOfVectors<unsigned int, ITEMS / 4, Load::ReadOnly>(g_idata, size, blockDim.x);
    sum = blockSum(sum, shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reduceVector

// finishByTicket is not static: the build would then name its shared variables after the place of this
// file.
// ANCHOR: reduceSinglePass
// The last block to finish adds the partial sums, in the same launch. Each block leaves its sum, then
// takes a ticket; the block with the last ticket knows that all others have left theirs, and the
// fences before and after the ticket let it see them. The thread that takes the ticket executes both;
// the barrier extends what it may see to its block. atomicInc goes back to 0 after the last block, so
// the next launch finds the ticket as this one did.
//
// scratch[0] is the ticket, 0 before the first launch; one word per block follows. Launches that run
// at the same time need scratch memory each.
template <typename T>
__device__ void finishByTicket(T sum, T *g_odata, Word *scratch)
{
    __shared__ T shared[MAX_WARPS];
    __shared__ bool last;
    T *partial = (T *)(scratch + 1);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc((unsigned int *)scratch, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        sum = 0;
        for (unsigned int i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
            sum += __ldcg(partial + i);
        }
        sum = blockSum(sum, shared);
        if (threadIdx.x == 0) {
            *g_odata = sum;
        }
    }
}

extern "C" __global__ void reduceSinglePass(const unsigned int *g_idata, unsigned int *g_odata,
                                            unsigned int size, Word *scratch)
{
    __shared__ unsigned int shared[MAX_WARPS];
    auto sum = sumOfVectors<unsigned int, ITEMS / 4, Load::ReadOnly>(g_idata, size, blockDim.x);
    finishByTicket(blockSum(sum, shared), g_odata, scratch);
}
// ANCHOR_END: reduceSinglePass

// ANCHOR: sumOfBlock
// blockSum again, for a number of threads that the compiler knows. The sums of the warps lie side by
// side, and each lane of the first warp reads them all: no second round of shuffles, and each of
// these lanes has the sum.
template <typename T, int COUNT> static __device__ T treeSum(const T *number)
{
    if constexpr (COUNT == 1) {
        return number[0];
    } else {
        return treeSum<T, COUNT / 2>(number) + treeSum<T, COUNT / 2>(number + COUNT / 2);
    }
}

template <typename T, int BLOCK> static __device__ T sumOfBlock(T sum, T *shared)
{
    sum = warpSum(sum);
    if (threadIdx.x % 32 == 0) {
        shared[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    return threadIdx.x < 32 ? treeSum<T, BLOCK / 32>(shared) : T(0);
}
// ANCHOR_END: sumOfBlock

// ANCHOR: digits
// Whole numbers can be added in any order. So each block takes its sum apart into digits of 32 bits,
// and adds each digit to a word of its own in scratch memory.
template <typename T> struct Digits;

template <> struct Digits<unsigned int> {
    static constexpr int COUNT = 1;
    static __device__ long long digit(unsigned int sum, int) { return sum; }
    static __device__ unsigned int number(long long total, int) { return (unsigned int)total; }
};

template <> struct Digits<Word> {
    static constexpr int COUNT = 2;
    static __device__ long long digit(Word sum, int k)
    {
        return k == 0 ? (unsigned int)sum : sum >> 32;
    }
    // Lane k has the total of digit k.
    static __device__ Word number(Word total, int)
    {
        return __shfl_sync(3, total, 0) + (__shfl_sync(3, total, 1) << 32);
    }
};
// ANCHOR_END: digits

// ANCHOR: digitsOfFloat
// A float is a whole number too: a multiple of 2^-149, the smallest positive one. That number has at
// most 277 bits, which are nine digits, of which at most two are not 0. A tenth digit counts
// infinities: positive ones in its lower half, negative ones in its upper half; a NaN counts as one
// of each.
template <> struct Digits<float> {
    static constexpr int FINITE = 9, COUNT = 10;
    static __device__ long long digit(float sum, int k)
    {
        unsigned int bits = __float_as_uint(sum), exponent = bits >> 23 & 0xff;
        bool negative = bits >> 31, infinite = exponent == 0xff;
        unsigned int significand = infinite ? 0 : bits & 0x7fffff | (exponent ? 0x800000 : 0);
        // The number is significand * 2^place, and digit k begins at bit 32k. Shifts by 32 or more
        // give 0.
        int place = max(exponent, 1) - 1, right = 32 * k - place;
        long long digit = right < 0 ? __funnelshift_lc(0, significand, -right)
                                    : __funnelshift_rc(significand, 0, right);
        if (k == FINITE && infinite) {
            return sum != sum ? 0x10001 : negative ? 0x10000 : 1;
        }
        return negative ? -digit : digit;
    }
    // Lane k has the total of digit k. They are added as doubles, from the greatest down: where those
    // cancel, nothing is lost. The order is fixed, so the result doesn't depend on that of the blocks.
    // Skipping digits that are 0 would take longer than adding them.
    static __device__ float number(long long total, int k)
    {
        constexpr unsigned int LANES = (1 << COUNT) - 1;
        double part = total * __longlong_as_double(Word(1023 - 149 + 32 * k) << 52), sum = 0;
#pragma unroll
        for (int digit = FINITE - 1; digit >= 0; --digit) {
            sum += __shfl_sync(LANES, part, digit);
        }
        int infinities = __shfl_sync(LANES, (int)total, FINITE);
        if (infinities & 0xffff) {
            sum += __uint_as_float(0x7f800000);
        }
        if (infinities >> 16) {
            sum -= __uint_as_float(0x7f800000);
        }
        return (float)sum;
    }
};
// ANCHOR_END: digitsOfFloat

// ANCHOR: finish
// How the last rungs finish. A single block has nothing to wait for. Several blocks need one trip to
// memory, not three (store, ticket, load): a word holds the total of its digit in its upper 48
// bits, and in the lower 16 how many blocks have added to it. The block that completes the count has
// the total.
//
// There is room for 2^15 blocks. `scratch` has Digits<T>::COUNT words, which are 0 before the first
// launch and 0 again after each. The host checks the grid and provides the zeros. Launches that run
// at the same time need scratch memory each.
//
// The block that completes the first word writes the sum. If another block has yet to add to the
// other words, it waits for that block.
enum class Finish { Alone, InDigits };

template <typename T> static __device__ void finishInDigits(T sum, T *g_odata, Word *scratch)
{
    constexpr int COUNT = Digits<T>::COUNT;
    constexpr unsigned int LANES = (1 << COUNT) - 1;
    int k = threadIdx.x; // lane k has digit k
    if (k < COUNT) {
        Word mine = Word(Digits<T>::digit(sum, k)) << 16 | 1;
        Word all = atomicAdd(scratch + k, mine) + mine;
        if (__shfl_sync(LANES, (unsigned int)all % 0x10000, 0) == gridDim.x) {
            while ((unsigned int)all % 0x10000 != gridDim.x) {
                all = *(volatile Word *)(scratch + k);
            }
            scratch[k] = 0; // for the next launch
            sum = Digits<T>::number((long long)all >> 16, k);
            if (k == 0) {
                *g_odata = sum;
            }
        }
    }
}
// ANCHOR_END: finish

// ANCHOR: limit
template <typename T, int BLOCK, int LOADS, Load LOAD, Finish FINISH>
__device__ void limit(const T *g_idata, T *g_odata, unsigned int size, Word *scratch)
{
    __shared__ alignas(16) T shared[BLOCK / 32];
    T sum = sumOfVectors<T, LOADS, LOAD, FINISH == Finish::Alone>(g_idata, size, BLOCK);
    sum = sumOfBlock<T, BLOCK>(sum, shared);
    if constexpr (FINISH == Finish::InDigits) {
        finishInDigits(sum, g_odata, scratch);
    } else if (threadIdx.x == 0) {
        *g_odata = sum;
    }
}
// ANCHOR_END: limit

#define LIMIT(NAME, T, BLOCK, LOADS, LOAD, FINISH)                                                 \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                            \
        NAME(const T *g_idata, T *g_odata, unsigned int size, Word *scratch)                       \
    {                                                                                              \
        limit<T, BLOCK, LOADS, Load::LOAD, Finish::FINISH>(g_idata, g_odata, size, scratch);       \
    }
// ANCHOR: reduceOneAtomic
LIMIT(reduceOneAtomic, unsigned int, 512, 2, ReadOnly, InDigits)
// ANCHOR_END: reduceOneAtomic
// ANCHOR: reduceFourLoads
LIMIT(reduceFourLoads, unsigned int, 512, 4, PassL1, InDigits)
// ANCHOR_END: reduceFourLoads

// What the host chooses from, by size (chapters/src/ch7_limit/choice.rs); found by the sweep,
// benches/limit.rs.
// ANCHOR: reduceLimit
LIMIT(reduceLimitTiny, unsigned int, 128, 2, ReadOnly, Alone)
LIMIT(reduceLimitOneBlock, unsigned int, 256, 4, ReadOnly, Alone)
LIMIT(reduceLimitSmall, unsigned int, 128, 2, ReadOnly, InDigits)
LIMIT(reduceLimit, unsigned int, 512, 4, PassL1, InDigits)
LIMIT(reduceLimitLarge, unsigned int, 1024, 4, PassL1, InDigits)
// ANCHOR_END: reduceLimit

LIMIT(reduceLimitTinyF32, float, 128, 2, ReadOnly, Alone)
LIMIT(reduceLimitOneBlockF32, float, 256, 4, ReadOnly, Alone)
LIMIT(reduceLimitFullBlockF32, float, 1024, 4, ReadOnly, Alone)
LIMIT(reduceLimitSmallF32, float, 128, 4, ReadOnly, InDigits)
LIMIT(reduceLimitF32, float, 512, 4, PassL1, InDigits)
LIMIT(reduceLimitLargeF32, float, 1024, 4, PassL1, InDigits)

LIMIT(reduceLimitTinyI64, Word, 128, 4, ReadOnly, Alone)
LIMIT(reduceLimitOneBlockI64, Word, 512, 4, ReadOnly, Alone)
LIMIT(reduceLimitSmallI64, Word, 256, 2, ReadOnly, InDigits)
LIMIT(reduceLimitI64, Word, 512, 4, PassL1, InDigits)
LIMIT(reduceLimitLargeI64, Word, 1024, 4, PassL1, InDigits)

// Nothing: what a launch costs.
extern "C" __global__ void doNothing()
{
}
