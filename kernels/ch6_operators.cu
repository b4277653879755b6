// Chapter 6: any associative operator, in as many passes as needed, and other ways to put the
// partial results together.
//
// A kernel here is a template over an operator: a type with an Element, an identity() and a
// combine(). Block b owns a chunk of whole tiles of blockDim.x elements; places beyond the end
// hold the identity. Every form but reduceInterleaved and the atomic ones keeps the operands in
// their order. Any size and any number of threads per block is right. Dynamic shared memory:
// blockDim.x * sizeof(Element) bytes.

#include <cooperative_groups.h>
#include <cuda/atomic>

// ---- the post's kernel

// `unsigned long long` stands for `long`, which has 32 bits on Windows. One thing is added: a thread asks
// whether its partner exists, so that a block need not be a power of two.
extern "C" __global__ void reduceKernel(const unsigned long long *g_in, unsigned long long *g_out,
                                        unsigned int n)
{
    extern __shared__ unsigned long long s_data[];

    unsigned int thread_id = threadIdx.x;
    unsigned int global_id = blockIdx.x * blockDim.x + thread_id;

    unsigned long long x = 0;
    if (global_id < n) {
        x = g_in[global_id];
    }
    s_data[thread_id] = x;
    __syncthreads();

    for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
        bool is_active = thread_id % (2 * distance) == 0;
        if (is_active && thread_id + distance < blockDim.x) {
            s_data[thread_id] += s_data[thread_id + distance];
        }
        __syncthreads();
    }

    if (thread_id == 0) {
        g_out[blockIdx.x] = s_data[0];
    }
}

// ---- operators

// The least and the greatest value of a type, written out so that a kernel needs no host header; for
// floats they are the infinities.
template <typename T> struct Limits;
template <> struct Limits<int> {
    static __device__ int least() { return -2147483647 - 1; }
    static __device__ int greatest() { return 2147483647; }
};
template <> struct Limits<long long> {
    static __device__ long long least() { return -9223372036854775807LL - 1; }
    static __device__ long long greatest() { return 9223372036854775807LL; }
};
template <> struct Limits<float> {
    static __device__ float least() { return __int_as_float(0xff800000); }
    static __device__ float greatest() { return __int_as_float(0x7f800000); }
};
template <> struct Limits<double> {
    static __device__ double least() { return __longlong_as_double(0xfff0000000000000); }
    static __device__ double greatest() { return __longlong_as_double(0x7ff0000000000000); }
};

// Sums of whole numbers are unsigned, so that they wrap as the host's do: signed overflow is undefined
// in C++.
// ANCHOR: sum
template <typename T> struct Sum {
    typedef T Element;
    static __device__ T identity() { return 0; }
    static __device__ T combine(T first, T second) { return first + second; }
};
// ANCHOR_END: sum

// For floats `min` is fminf or fmin, which give the number of a number and a NaN. So they skip NaNs.
// ANCHOR: minMax
template <typename T> struct Min {
    typedef T Element;
    static __device__ T identity() { return Limits<T>::greatest(); }
    static __device__ T combine(T first, T second) { return min(first, second); }
};
template <typename T> struct Max {
    typedef T Element;
    static __device__ T identity() { return Limits<T>::least(); }
    static __device__ T combine(T first, T second) { return max(first, second); }
};
// ANCHOR_END: minMax

// Modulo 2^64.
struct Product {
    typedef unsigned long long Element;
    static __device__ Element identity() { return 1; }
    static __device__ Element combine(Element first, Element second) { return first * second; }
};

// The greatest value and where it stands; of equal ones the first. The index is as wide as the
// value, which leaves no gap in memory. Every comparison with a NaN is false, so the data must have
// none.
// ANCHOR: argMax
template <typename T, typename Index> struct ValueAt {
    T value;
    Index index;
};
template <typename T, typename Index> struct ArgMax {
    typedef ValueAt<T, Index> Element;
    static __device__ Element identity() { return {Limits<T>::least(), (Index)-1}; }
    static __device__ Element combine(Element first, Element second)
    {
        bool greater = second.value > first.value;
        bool equalAndEarlier = second.value == first.value && second.index < first.index;
        return greater || equalAndEarlier ? second : first;
    }
};
// ANCHOR_END: argMax

// A string's hash is a number in base P, with the characters as digits, modulo 2^32. To append a
// second string, shift the first number by as many digits as the second string has: multiply it by P
// to that power.
// ANCHOR: hash
struct Hash {
    struct Element {
        unsigned int hash;
        unsigned int power; // P to the number of characters
    };
    static __device__ Element identity() { return {0, 1}; } // the empty string
    static __device__ Element combine(Element first, Element second)
    {
        return {first.hash * second.power + second.hash, first.power * second.power};
    }
};
// ANCHOR_END: hash

// ---- one block

template <typename Element> static __device__ Element *cache()
{
    extern __shared__ __align__(16) unsigned char bytes[];
    return reinterpret_cast<Element *>(bytes);
}

// ANCHOR: blockReduce
// What the block's threads hold, combined in the order of the threads. Neighbours are combined,
// then neighbouring pairs: the left operand always comes from the left. All threads get the result.
template <typename Operator>
static __device__ typename Operator::Element blockReduce(typename Operator::Element mine)
{
    typename Operator::Element *data = cache<typename Operator::Element>();
    unsigned int tid = threadIdx.x;
    data[tid] = mine;
    __syncthreads();
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < blockDim.x) {
            data[tid] = Operator::combine(data[tid], data[tid + stride]);
        }
        __syncthreads();
    }
    typename Operator::Element result = data[0];
    __syncthreads(); // every thread has read it before any thread writes again
    return result;
}
// ANCHOR_END: blockReduce

// The tree of chapter 3's reduceInterleaved: element i meets element i + half. That changes the order
// of the operands, so it is right for commutative operators alone.
template <typename Operator>
static __device__ typename Operator::Element blockReduceInterleaved(typename Operator::Element mine)
{
    typename Operator::Element *data = cache<typename Operator::Element>();
    unsigned int tid = threadIdx.x;
    data[tid] = mine;
    __syncthreads();
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            data[tid] = Operator::combine(data[tid], data[tid + half]);
        }
        __syncthreads();
    }
    return data[0];
}

// ANCHOR: chunk
// The block reduces in[first .. end], tile by tile, in order; of an empty range the result is the
// identity. All threads make the same number of rounds, and all get the result.
template <typename Operator>
static __device__ typename Operator::Element reduceChunk(const typename Operator::Element *in,
                                                           unsigned int first, unsigned int end)
{
    typename Operator::Element total = Operator::identity();
    for (unsigned int tile = first; tile < end; tile += blockDim.x) {
        bool owns = threadIdx.x < end - tile;
        typename Operator::Element mine = owns ? in[tile + threadIdx.x] : Operator::identity();
        total = Operator::combine(total, blockReduce<Operator>(mine));
    }
    return total;
}

// This block's chunk. Every block takes the same number of tiles, enough for the grid to cover n
// elements.
template <typename Operator>
static __device__ typename Operator::Element reduceMyChunk(const typename Operator::Element *in,
                                                             unsigned int n)
{
    unsigned int tiles = n / blockDim.x + (n % blockDim.x != 0);
    unsigned int tilesPerBlock = tiles / gridDim.x + (tiles % gridDim.x != 0);
    unsigned int chunk = tilesPerBlock * blockDim.x;
    // In 64 bits: the end of the last chunk may lie beyond 2^32.
    unsigned int first = min((unsigned long long)blockIdx.x * chunk, (unsigned long long)n);
    unsigned int end = min((unsigned long long)first + chunk, (unsigned long long)n);
    return reduceChunk<Operator>(in, first, end);
}
// ANCHOR_END: chunk

// ---- many blocks

// One pass: n elements become gridDim.x. The host launches again over those, until one is left.
template <typename Operator>
static __device__ void reducePass(const typename Operator::Element *in,
                                  typename Operator::Element *out, unsigned int n)
{
    typename Operator::Element result = reduceMyChunk<Operator>(in, n);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = result;
    }
}

// The same pass with the other tree, one tile per block.
template <typename Operator>
static __device__ void reduceInterleaved(const typename Operator::Element *in,
                                         typename Operator::Element *out, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    typename Operator::Element mine = i < n ? in[i] : Operator::identity();
    typename Operator::Element result = blockReduceInterleaved<Operator>(mine);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = result;
    }
}

// One launch: every block writes its partial result, then takes a ticket. The block with the last
// ticket knows that all the others have written theirs. atomicInc returns the old value and goes back
// to 0 after gridDim.x - 1, so *ticket is 0 again for the next launch. It has to be 0 before the first,
// and two launches that run at the same time need a ticket each.
//
// The fences turn "have written" into "can be seen". The first orders this thread's store before its
// ticket, the second orders the ticket before the loads that follow; the barrier extends both to the
// block.
// ANCHOR: singleLaunch
template <typename Operator, bool fenced>
__device__ void reduceSingleLaunch(const typename Operator::Element *in,
                                          typename Operator::Element *partials,
                                          typename Operator::Element *out, unsigned int n,
                                          unsigned int *ticket)
{
    __shared__ bool isLast;
    typename Operator::Element result = reduceMyChunk<Operator>(in, n);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = result;
        if (fenced) {
            __threadfence();
        }
        isLast = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        if (fenced) {
            __threadfence();
        }
    }
    __syncthreads();
    if (isLast) {
        result = reduceChunk<Operator>(partials, 0, gridDim.x);
        if (threadIdx.x == 0) {
            *out = result;
        }
    }
}
// ANCHOR_END: singleLaunch

// The same with the order said in the atomic operation itself, and the scope in the type of the reference.
// It releases what this thread has written, and acquires what the blocks before it have released. fetch_add
// has no upper end, so the last block sets the ticket back.
// ANCHOR: acquireRelease
template <typename Operator>
__device__ void reduceAcquireRelease(const typename Operator::Element *in,
                                     typename Operator::Element *partials,
                                     typename Operator::Element *out, unsigned int n,
                                     unsigned int *ticket)
{
    __shared__ bool isLast;
    typename Operator::Element result = reduceMyChunk<Operator>(in, n);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = result;
        cuda::atomic_ref<unsigned int, cuda::thread_scope_device> tickets(*ticket);
        isLast = tickets.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    }
    __syncthreads();
    if (isLast) {
        result = reduceChunk<Operator>(partials, 0, gridDim.x);
        if (threadIdx.x == 0) {
            *out = result;
            *ticket = 0;
        }
    }
}
// ANCHOR_END: acquireRelease

// One cooperative launch: all blocks run at the same time, so they can wait for each other.
// ANCHOR: gridSync
template <typename Operator>
static __device__ void reduceGridSync(const typename Operator::Element *in,
                                      typename Operator::Element *partials,
                                      typename Operator::Element *out, unsigned int n)
{
    typename Operator::Element result = reduceMyChunk<Operator>(in, n);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = result;
    }
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0) {
        result = reduceChunk<Operator>(partials, 0, gridDim.x);
        if (threadIdx.x == 0) {
            *out = result;
        }
    }
}
// ANCHOR_END: gridSync

// Atomic additions alone: *out is 0 before, and the blocks add in whatever order they arrive.
// ANCHOR: atomics
template <typename T> static __device__ void reduceAtomicBlocks(const T *in, T *out, unsigned int n)
{
    T result = reduceMyChunk<Sum<T>>(in, n);
    if (threadIdx.x == 0) {
        atomicAdd(out, result);
    }
}

// One thread per element: n additions to one location.
template <typename T> static __device__ void reduceAtomicThreads(const T *in, T *out, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(out, in[i]);
    }
}
// ANCHOR_END: atomics

// ---- the kernels by name

#define PASS(name, ...)                                                                              \
    extern "C" __global__ void reducePasses_##name(const __VA_ARGS__::Element *in,                   \
                                                   __VA_ARGS__::Element *out, unsigned int n)        \
    {                                                                                                \
        reducePass<__VA_ARGS__>(in, out, n);                                                         \
    }

PASS(sum_i32, Sum<unsigned int>)
PASS(sum_i64, Sum<unsigned long long>)
PASS(sum_f32, Sum<float>)
PASS(sum_f64, Sum<double>)
PASS(min_i32, Min<int>)
PASS(min_i64, Min<long long>)
PASS(min_f32, Min<float>)
PASS(min_f64, Min<double>)
PASS(max_i32, Max<int>)
PASS(max_i64, Max<long long>)
PASS(max_f32, Max<float>)
PASS(max_f64, Max<double>)
PASS(argmax_i32, ArgMax<int, unsigned int>)
PASS(argmax_i64, ArgMax<long long, unsigned long long>)
PASS(argmax_f32, ArgMax<float, unsigned int>)
PASS(argmax_f64, ArgMax<double, unsigned long long>)
PASS(product_u64, Product)
PASS(hash_u32, Hash)

extern "C" __global__ void reduceInterleaved_hash_u32(const Hash::Element *in, Hash::Element *out,
                                                      unsigned int n)
{
    reduceInterleaved<Hash>(in, out, n);
}

#define OTHER_FORMS(type, T)                                                                         \
    extern "C" __global__ void reduceSingleLaunch_sum_##type(const T *in, T *partials, T *out,       \
                                                             unsigned int n, unsigned int *ticket)   \
    {                                                                                                \
        reduceSingleLaunch<Sum<T>, true>(in, partials, out, n, ticket);                              \
    }                                                                                                \
    extern "C" __global__ void reduceGridSync_sum_##type(const T *in, T *partials, T *out,           \
                                                         unsigned int n)                             \
    {                                                                                                \
        reduceGridSync<Sum<T>>(in, partials, out, n);                                                \
    }                                                                                                \
    extern "C" __global__ void reduceAtomicBlocks_sum_##type(const T *in, T *out, unsigned int n)    \
    {                                                                                                \
        reduceAtomicBlocks(in, out, n);                                                              \
    }                                                                                                \
    extern "C" __global__ void reduceAtomicThreads_sum_##type(const T *in, T *out, unsigned int n)   \
    {                                                                                                \
        reduceAtomicThreads(in, out, n);                                                             \
    }

OTHER_FORMS(i32, unsigned int)
OTHER_FORMS(f32, float)

extern "C" __global__ void reduceNoFence_sum_i32(const unsigned int *in,
                                                 unsigned int *partials, unsigned int *out,
                                                 unsigned int n, unsigned int *ticket)
{
    reduceSingleLaunch<Sum<unsigned int>, false>(in, partials, out, n, ticket);
}

extern "C" __global__ void reduceAcquireRelease_sum_i32(const unsigned int *in,
                                                        unsigned int *partials, unsigned int *out,
                                                        unsigned int n, unsigned int *ticket)
{
    reduceAcquireRelease<Sum<unsigned int>>(in, partials, out, n, ticket);
}
