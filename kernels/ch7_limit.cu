// Chapter 7: how fast can a sum be? A ladder of kernels, each one change away from the one before,
// and at its end the sum at the speed of the memory. Each is there for int, float and long long.
//
// All are right for any size, 0 too, and for an array that begins at any element. From
// reduceShuffle on, a block is a number of whole warps. The kernels before reduceSinglePass leave a
// partial sum a block; the host launches them again over those until one is left.

typedef unsigned long long Word;

// Threads in a block, at most, and warps.
constexpr unsigned int MAX_BLOCK = 1024;
constexpr unsigned int MAX_WARPS = MAX_BLOCK / 32;

// ANCHOR: reduceSharedTree
// The tree of chapter 3 in shared memory: step `stride` adds elements that are `stride` apart.
// Thread t has the pair that begins at 2*stride*t, so working threads are neighbours, and what they
// touch is not.
template <typename T> static __device__ T neighboredTree(T *shared)
{
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned int index = 2 * stride * threadIdx.x;
        if (index + stride < blockDim.x) {
            shared[index] += shared[index + stride];
        }
        __syncthreads();
    }
    return shared[0];
}

template <typename T>
__device__ void sharedTree(const T *g_idata, T *g_odata, unsigned int size)
{
    __shared__ T shared[MAX_BLOCK];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    shared[threadIdx.x] = i < size ? g_idata[i] : T(0);
    __syncthreads();
    T sum = neighboredTree(shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reduceSharedTree

// ANCHOR: reduceSequential
// The second half is added onto the first: what a warp touches lies side by side, in 32 different
// banks.
template <typename T> static __device__ T sequentialTree(T *shared)
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
// ANCHOR_END: reduceSequential

template <typename T>
__device__ void sequential(const T *g_idata, T *g_odata, unsigned int size)
{
    __shared__ T shared[MAX_BLOCK];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    shared[threadIdx.x] = i < size ? g_idata[i] : T(0);
    __syncthreads();
    T sum = sequentialTree(shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}

// ANCHOR: reduceFirstAdd
// A thread loads two elements and adds them before the tree begins: half as many blocks.
template <typename T>
__device__ void firstAdd(const T *g_idata, T *g_odata, unsigned int size)
{
    __shared__ T shared[MAX_BLOCK];
    unsigned int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    T first = i < size ? g_idata[i] : T(0);
    T second = i + blockDim.x < size ? g_idata[i + blockDim.x] : T(0);
    shared[threadIdx.x] = first + second;
    __syncthreads();
    T sum = sequentialTree(shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reduceFirstAdd

// ANCHOR: reduceInFlight
// A tile is ITEMS elements a thread; block b owns the tiles b, b+G, ... of a grid of G blocks. All
// loads of a tile are issued before the first addition waits for one, so a thread has ITEMS of them
// in flight.
constexpr int ITEMS = 8;

template <typename T> static __device__ T sumOfTiles(const T *g_idata, unsigned int size)
{
    T sum = 0;
    unsigned int tile = ITEMS * blockDim.x;
    for (unsigned int first = blockIdx.x * tile; first < size; first += gridDim.x * tile) {
        T item[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            unsigned int i = first + k * blockDim.x + threadIdx.x;
            item[k] = i < size ? g_idata[i] : T(0);
        }
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            sum += item[k];
        }
    }
    return sum;
}

template <typename T>
__device__ void inFlight(const T *g_idata, T *g_odata, unsigned int size)
{
    __shared__ T shared[MAX_BLOCK];
    shared[threadIdx.x] = sumOfTiles(g_idata, size);
    __syncthreads();
    T sum = sequentialTree(shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reduceInFlight

// ANCHOR: reduceShuffle
// The sum of a warp, in lane 0: each lane passes its number down, five times. No shared memory, no
// barrier.
template <typename T> static __device__ T warpSum(T sum)
{
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, lanes);
    }
    return sum;
}

#if __CUDA_ARCH__ >= 800
// One instruction for int, from Ampere on.
template <> __device__ int warpSum(int sum)
{
    return __reduce_add_sync(0xffffffff, sum);
}
#endif

// The sum of a block of whole warps, in thread 0: each warp leaves one number, and one barrier
// later the first warp adds those. `shared` has room for a number a warp, and is not used by
// anybody else.
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

template <typename T>
__device__ void shuffle(const T *g_idata, T *g_odata, unsigned int size)
{
    __shared__ T shared[MAX_WARPS];
    T sum = blockSum(sumOfTiles(g_idata, size), shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reduceShuffle

// ANCHOR: reduceVector
// How 16 bytes are loaded: as nvcc does it for data that nobody writes; or with the word that no
// line in L1 be kept for them; and so that L2 fetches 256 bytes at a time.
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

// The sum of the numbers in 16 bytes.
static __device__ int sumOf(uint4 v, int)
{
    return (v.x + v.y) + (v.z + v.w);
}
static __device__ float sumOf(uint4 v, float)
{
    return (__uint_as_float(v.x) + __uint_as_float(v.y)) + (__uint_as_float(v.z) + __uint_as_float(v.w));
}
static __device__ long long sumOf(uint4 v, long long)
{
    return (Word(v.y) << 32 | v.x) + (Word(v.w) << 32 | v.z);
}

// sumOfTiles, 16 bytes at a time, LOADS of them in flight. A load of 16 bytes begins at a multiple
// of 16, so the elements before the first and after the last of those (at most 6) are block 0's,
// one a thread.
template <typename T, int LOADS, Load LOAD>
static __device__ T sumOfVectors(const T *g_idata, unsigned int size, unsigned int threads)
{
    constexpr unsigned int PER = 16 / sizeof(T);
    unsigned int head = min(size, (unsigned int)(-(Word)g_idata % 16 / sizeof(T)));
    unsigned int vectors = (size - head) / PER, tail = (size - head) % PER;
    const uint4 *body = (const uint4 *)(g_idata + head);

    T edge = 0; // on its way while the others are
    if (blockIdx.x == 0 && threadIdx.x < head + tail) {
        edge = g_idata[threadIdx.x < head ? threadIdx.x : size - tail - head + threadIdx.x];
    }
    T sum = 0;
    unsigned int tile = LOADS * threads;
    for (unsigned int first = blockIdx.x * tile; first < vectors; first += gridDim.x * tile) {
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
    }
    return sum + edge;
}

// As many bytes in flight as before, in fewer loads: two for int and float, four for long long.
template <typename T>
__device__ void vectors(const T *g_idata, T *g_odata, unsigned int size)
{
    __shared__ T shared[MAX_WARPS];
    constexpr int LOADS = ITEMS * sizeof(T) / 16;
    T sum = sumOfVectors<T, LOADS, Load::ReadOnly>(g_idata, size, blockDim.x);
    sum = blockSum(sum, shared);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
    }
}
// ANCHOR_END: reduceVector

// ANCHOR: reduceSinglePass
// The partial sums are added in the same launch, by the block that is done last. Each block leaves
// its sum, then takes a ticket; who gets the last one knows that all others have left theirs. The
// fence before the ticket and the one after it make that so for memory too. The ticket counts back
// to 0 by itself: atomicInc begins again after the last block, so the next launch finds it as this
// one did.
//
// scratch[0] is the ticket, 0 before the first launch; a word a block follows.
template <typename T>
__device__ void finishByTicket(T sum, unsigned int part, unsigned int parts, T *g_odata,
                                      Word *scratch)
{
    __shared__ T shared[MAX_WARPS];
    __shared__ bool last;
    T *partial = (T *)(scratch + 1);
    if (threadIdx.x == 0) {
        partial[part] = sum;
        __threadfence();
        last = atomicInc((unsigned int *)scratch, parts - 1) == parts - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        sum = 0;
        for (unsigned int i = threadIdx.x; i < parts; i += blockDim.x) {
            sum += __ldcg(partial + i);
        }
        sum = blockSum(sum, shared);
        if (threadIdx.x == 0) {
            *g_odata = sum;
        }
    }
}

template <typename T>
__device__ void singlePass(const T *g_idata, T *g_odata, unsigned int size, Word *scratch)
{
    __shared__ T shared[MAX_WARPS];
    constexpr int LOADS = ITEMS * sizeof(T) / 16;
    T sum = sumOfVectors<T, LOADS, Load::ReadOnly>(g_idata, size, blockDim.x);
    sum = blockSum(sum, shared);
    finishByTicket(sum, blockIdx.x, gridDim.x, g_odata, scratch);
}
// ANCHOR_END: reduceSinglePass

// ANCHOR: sumOfBlock
// blockSum again, for a block of BLOCK threads, which the compiler knows, in thread 0's warp.
//
// By shuffles first, and then no more of them: the sums of the warps lie side by side, and each
// lane reads them all. By shared memory first: each lane of the first warp adds what lies 32 apart,
// and one round of shuffles is left. For float a round of five shuffles takes longer than a trip
// through shared memory; for int it is one instruction.
enum class Sum { ShuffleFirst, SharedFirst };

template <typename T, int COUNT> static __device__ T treeSum(const T *number)
{
    if constexpr (COUNT == 1) {
        return number[0];
    } else {
        return treeSum<T, COUNT / 2>(number) + treeSum<T, COUNT / 2>(number + COUNT / 2);
    }
}

template <typename T, int BLOCK, Sum SUM> static __device__ T sumOfBlock(T sum, T *shared)
{
    if constexpr (SUM == Sum::ShuffleFirst) {
        sum = warpSum(sum);
        if (threadIdx.x % 32 == 0) {
            shared[threadIdx.x / 32] = sum;
        }
        __syncthreads();
        return threadIdx.x < 32 ? treeSum<T, BLOCK / 32>(shared) : T(0);
    } else {
        shared[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x < 32) {
            T part[BLOCK / 32];
#pragma unroll
            for (int k = 0; k < BLOCK / 32; ++k) {
                part[k] = shared[32 * k + threadIdx.x];
            }
            sum = warpSum(treeSum<T, BLOCK / 32>(part));
        }
        return sum;
    }
}
// ANCHOR_END: sumOfBlock

// ANCHOR: finish
// How the last rung finishes: one block has nothing to wait for. Two ways with fewer trips to
// memory than store, fence, ticket, load.
enum class Finish { Alone, OneWord, Gather };

// For int: sum and count in one word, one atomic addition a block. The count is in the lower half,
// which can not overflow into the sum; the sum wraps in the upper half, as it should.
static __device__ void finishInOneWord(int sum, int *g_odata, Word *scratch)
{
    if (threadIdx.x == 0) {
        Word before = atomicAdd(scratch, Word((unsigned int)sum) << 32 | 1);
        if ((unsigned int)before == gridDim.x - 1) {
            *g_odata = (int)(before >> 32) + sum;
            *scratch = 0; // for the next launch
        }
    }
}

// For any type: each block but the last leaves its sum in a slot, 32 bits in a word, with a flag
// beside them that says so. A word is written and read as a whole, so no fence is needed.
template <typename T> static __device__ void leave(T sum, Word *slot)
{
    constexpr int HALVES = sizeof(T) / 4;
    unsigned int half[HALVES];
    memcpy(half, &sum, sizeof(T));
#pragma unroll
    for (int k = 0; k < HALVES; ++k) {
        *(volatile Word *)(slot + k) = Word(half[k]) << 32 | 1;
    }
}

// The last block waits for the others' sums, and leaves zeros for the next launch: thread t has the
// slots t, t+BLOCK, ... What it finds it adds to what it has loaded itself, so the whole is added
// as any block's share is, and in an order that does not depend on who is done first. Only the
// block that is started last waits, so the others need no room that it holds.
template <typename T, int BLOCK> static __device__ T takeAll(Word *scratch)
{
    constexpr int HALVES = sizeof(T) / 4;
    T sum = 0;
    for (unsigned int slot = threadIdx.x; slot < gridDim.x - 1; slot += BLOCK) {
        unsigned int half[HALVES];
#pragma unroll
        for (int k = 0; k < HALVES; ++k) {
            volatile Word *place = scratch + HALVES * slot + k;
            Word word;
            do {
                word = *place;
            } while (word == 0);
            *place = 0;
            half[k] = (unsigned int)(word >> 32);
        }
        T one;
        memcpy(&one, half, sizeof(T));
        sum += one;
    }
    return sum;
}
// ANCHOR_END: finish

// ANCHOR: reduceCluster
// From Hopper on, up to 8 blocks can form a cluster (16, where the GPU allows it): they run at the
// same time, near each other, and can write into each other's shared memory. A grid of one cluster
// needs no trip to L2: its blocks send their sums to the first of them, which waits at an mbarrier
// until all bytes have come. (PTX ISA, "mbarrier", "st.async", "barrier.cluster")
#if __CUDA_ARCH__ >= 900
template <typename T, int CLUSTER> struct Mailbox {
    alignas(16) T ofBlock[CLUSTER];
    Word arrived;
};

// In the first block: the mailbox is ready for the other blocks' bytes.
template <typename T, int CLUSTER> static __device__ void openMailbox(Mailbox<T, CLUSTER> &mailbox)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        unsigned int arrived = __cvta_generic_to_shared(&mailbox.arrived);
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                     "fence.mbarrier_init.release.cluster;\n\t"
                     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     :: "r"(arrived), "n"((CLUSTER - 1) * sizeof(T)) : "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

// Thread 0 of each block gives its block's sum; thread 0 of the first block gets the sum of all.
template <int CLUSTER> static __device__ void sendToFirst(float sum, Mailbox<float, CLUSTER> &mailbox)
{
    unsigned int arrived = __cvta_generic_to_shared(&mailbox.arrived);
    unsigned int slot = __cvta_generic_to_shared(mailbox.ofBlock + blockIdx.x);
    asm volatile("{\n\t.reg .b32 there, its_barrier;\n\t"
                 "mapa.shared::cluster.u32 there, %0, 0;\n\t"
                 "mapa.shared::cluster.u32 its_barrier, %2, 0;\n\t"
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [there], %1, [its_barrier];\n\t}"
                 :: "r"(slot), "r"(__float_as_uint(sum)), "r"(arrived) : "memory");
}

template <int CLUSTER> static __device__ float receiveAll(float sum, Mailbox<float, CLUSTER> &mailbox)
{
    unsigned int arrived = __cvta_generic_to_shared(&mailbox.arrived), done = 0;
    mailbox.ofBlock[0] = sum;
    while (!done) {
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done) : "r"(arrived) : "memory");
    }
    return treeSum<float, CLUSTER>(mailbox.ofBlock);
}

template <int BLOCK, int LOADS, Load LOAD, Sum SUM, int CLUSTER>
__device__ void clusterLimit(const float *g_idata, float *g_odata, unsigned int size,
                                    float *shared)
{
    __shared__ Mailbox<float, CLUSTER> mailbox;
    openMailbox(mailbox);
    float sum = sumOfVectors<float, LOADS, LOAD>(g_idata, size, BLOCK);
    sum = sumOfBlock<float, BLOCK, SUM>(sum, shared);
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); // the mailbox is open
    if (threadIdx.x == 0 && blockIdx.x > 0) {
        sendToFirst(sum, mailbox);
    } else if (threadIdx.x == 0) {
        *g_odata = receiveAll(sum, mailbox);
    }
}
#endif
// ANCHOR_END: reduceCluster

// ANCHOR: reduceLimit
template <typename T, int BLOCK, int LOADS, Load LOAD, Finish FINISH, Sum SUM, int CLUSTER>
__device__ void limit(const T *g_idata, T *g_odata, unsigned int size, Word *scratch)
{
    __shared__ alignas(16) T shared[BLOCK];
#if __CUDA_ARCH__ >= 900
    if constexpr (CLUSTER > 1) {
        clusterLimit<BLOCK, LOADS, LOAD, SUM, CLUSTER>(g_idata, g_odata, size, shared);
        return;
    }
#endif
    constexpr bool GATHERS = FINISH == Finish::Gather;
    bool isLast = blockIdx.x == gridDim.x - 1;
    T sum = sumOfVectors<T, LOADS, LOAD>(g_idata, size, BLOCK);
    if constexpr (GATHERS) {
        if (isLast) {
            sum += takeAll<T, BLOCK>(scratch);
        }
    }
    sum = sumOfBlock<T, BLOCK, SUM>(sum, shared);
    if constexpr (FINISH == Finish::OneWord) {
        finishInOneWord(sum, g_odata, scratch);
    } else if (threadIdx.x == 0) {
        if (GATHERS && !isLast) {
            leave(sum, scratch + sizeof(T) / 4 * blockIdx.x);
        } else {
            *g_odata = sum;
        }
    }
}
// ANCHOR_END: reduceLimit

// Each rung for each type: reduceShuffle, reduceShuffleF32, reduceShuffleI64.
#define RUNG(NAME, BODY)                                                                                      \
    RUNG_OF(NAME, BODY, int)                                                                                  \
    RUNG_OF(NAME##F32, BODY, float)                                                                           \
    RUNG_OF(NAME##I64, BODY, long long)
#define RUNG_OF(NAME, BODY, T)                                                                                \
    extern "C" __global__ void NAME(const T *g_idata, T *g_odata, unsigned int size)                          \
    {                                                                                                         \
        BODY<T>(g_idata, g_odata, size);                                                                      \
    }
RUNG(reduceSharedTree, sharedTree)
RUNG(reduceSequential, sequential)
RUNG(reduceFirstAdd, firstAdd)
RUNG(reduceInFlight, inFlight)
RUNG(reduceShuffle, shuffle)
RUNG(reduceVector, vectors)

#define SINGLE_PASS(NAME, T)                                                                                  \
    extern "C" __global__ void NAME(const T *g_idata, T *g_odata, unsigned int size, Word *scratch)           \
    {                                                                                                         \
        singlePass<T>(g_idata, g_odata, size, scratch);                                                       \
    }
SINGLE_PASS(reduceSinglePass, int)
SINGLE_PASS(reduceSinglePassF32, float)
SINGLE_PASS(reduceSinglePassI64, long long)

// What src/limit.rs chooses from, by size; found by the sweep, benches/limit.rs.
#define CLUSTER_1
#if __CUDA_ARCH__ >= 900
#define CLUSTER_8 __cluster_dims__(8)
#else
#define CLUSTER_8 // each block for itself, and the last one gathers
#endif
#define LIMIT(NAME, T, BLOCK, LOADS, LOAD, FINISH, SUM, CLUSTER)                                              \
    extern "C" __global__ void __launch_bounds__(BLOCK) CLUSTER_##CLUSTER                                     \
        NAME(const T *g_idata, T *g_odata, unsigned int size, Word *scratch)                                  \
    {                                                                                                         \
        limit<T, BLOCK, LOADS, Load::LOAD, Finish::FINISH, Sum::SUM, CLUSTER>(g_idata, g_odata, size, scratch); \
    }
LIMIT(reduceLimitOneBlock, int, 256, 4, ReadOnly, Alone, ShuffleFirst, 1)
LIMIT(reduceLimitSmall, int, 128, 2, ReadOnly, OneWord, ShuffleFirst, 1)
LIMIT(reduceLimit, int, 512, 4, PassL1, OneWord, ShuffleFirst, 1)
LIMIT(reduceLimitLarge, int, 1024, 4, PassL1, OneWord, ShuffleFirst, 1)

LIMIT(reduceLimitOneBlockF32, float, 256, 4, ReadOnly, Alone, ShuffleFirst, 1)
LIMIT(reduceLimitSmallClusterF32, float, 128, 4, ReadOnly, Gather, SharedFirst, 8)
LIMIT(reduceLimitClusterF32, float, 512, 4, ReadOnly, Gather, SharedFirst, 8)
LIMIT(reduceLimitSmallF32, float, 256, 4, ReadOnly, Gather, SharedFirst, 1)
LIMIT(reduceLimitF32, float, 512, 4, PassL1, Gather, SharedFirst, 1)
LIMIT(reduceLimitLargeF32, float, 1024, 4, PassL1, Gather, SharedFirst, 1)

LIMIT(reduceLimitOneBlockI64, long long, 512, 4, ReadOnly, Alone, ShuffleFirst, 1)
LIMIT(reduceLimitSmallI64, long long, 256, 4, ReadOnly, Gather, SharedFirst, 1)
LIMIT(reduceLimitI64, long long, 512, 4, ReadOnly, Gather, SharedFirst, 1)
LIMIT(reduceLimitLargeI64, long long, 1024, 4, PassL1, Gather, SharedFirst, 1)

// Nothing: what a launch costs.
extern "C" __global__ void doNothing()
{
}
