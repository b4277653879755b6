// The candidates of chapter 7's sweep (benches/limit.rs). A name consists of the type, threads per
// block, loads in flight, the kind of load, how the blocks' sums become one, and blocks per cluster.
// Two ways to finish exist here only.

#include "../ch7_limit.cu"

// For any type: each block but the last leaves its sum in a slot, 32 bits per word, with a flag beside
// them. A word is written and read as a whole, so no fence is needed.
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

// The last block waits for the others' sums, and leaves zeros for the next launch: thread t reads the
// slots t, t+BLOCK, ... and adds them to its own elements. So the order of the additions doesn't
// depend on which block finishes first. Only the block with the highest number waits. It starts after
// the others, so they never need room that it holds.
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

// From Hopper on, up to 8 blocks can form a cluster (16, where the GPU allows it): they run at the
// same time, near each other, and can write into each other's shared memory. A grid of one cluster
// needs no trip to L2: its blocks send their sums to the first one, which waits at an mbarrier until
// all bytes have arrived. (PTX ISA, "mbarrier", "st.async", "barrier.cluster")
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
template <typename T, int CLUSTER> static __device__ void sendToFirst(T sum, Mailbox<T, CLUSTER> &mailbox)
{
    unsigned int bits;
    static_assert(sizeof(T) == sizeof(bits));
    memcpy(&bits, &sum, sizeof(bits));
    unsigned int arrived = __cvta_generic_to_shared(&mailbox.arrived);
    unsigned int slot = __cvta_generic_to_shared(mailbox.ofBlock + blockIdx.x);
    asm volatile("{\n\t.reg .b32 there, its_barrier;\n\t"
                 "mapa.shared::cluster.u32 there, %0, 0;\n\t"
                 "mapa.shared::cluster.u32 its_barrier, %2, 0;\n\t"
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [there], %1, [its_barrier];\n\t}"
                 :: "r"(slot), "r"(bits), "r"(arrived) : "memory");
}

template <typename T, int CLUSTER> static __device__ T receiveAll(T sum, Mailbox<T, CLUSTER> &mailbox)
{
    unsigned int arrived = __cvta_generic_to_shared(&mailbox.arrived), done = 0;
    mailbox.ofBlock[0] = sum;
    while (!done) {
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done) : "r"(arrived) : "memory");
    }
    return treeSum<T, CLUSTER>(mailbox.ofBlock);
}

template <typename T, int BLOCK, int LOADS, Load LOAD, int CLUSTER>
__device__ void inCluster(const T *g_idata, T *g_odata, unsigned int size, T *shared)
{
    __shared__ Mailbox<T, CLUSTER> mailbox;
    openMailbox(mailbox);
    T sum = sumOfBlock<T, BLOCK>(sumOfVectors<T, LOADS, LOAD>(g_idata, size, BLOCK), shared);
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); // the mailbox is open
    if (threadIdx.x == 0 && blockIdx.x > 0) {
        sendToFirst(sum, mailbox);
    } else if (threadIdx.x == 0) {
        *g_odata = receiveAll(sum, mailbox);
    }
}
#endif

enum class Way { Alone, InDigits, Ticket, Gather, Cluster };

template <typename T, int BLOCK, int LOADS, Load LOAD, Way WAY, int CLUSTER>
__device__ void tried(const T *g_idata, T *g_odata, unsigned int size, Word *scratch)
{
    __shared__ alignas(16) T shared[BLOCK / 32];
    if constexpr (WAY == Way::Alone) {
        limit<T, BLOCK, LOADS, LOAD, Finish::Alone>(g_idata, g_odata, size, scratch);
    } else if constexpr (WAY == Way::InDigits) {
        limit<T, BLOCK, LOADS, LOAD, Finish::InDigits>(g_idata, g_odata, size, scratch);
    } else if constexpr (WAY == Way::Cluster) {
#if __CUDA_ARCH__ >= 900
        inCluster<T, BLOCK, LOADS, LOAD, CLUSTER>(g_idata, g_odata, size, shared);
#endif
    } else if constexpr (WAY == Way::Ticket) {
        T sum = sumOfBlock<T, BLOCK>(sumOfVectors<T, LOADS, LOAD>(g_idata, size, BLOCK), shared);
        finishByTicket(sum, g_odata, scratch);
    } else {
        bool isLast = blockIdx.x == gridDim.x - 1;
        T sum = sumOfVectors<T, LOADS, LOAD>(g_idata, size, BLOCK);
        if (isLast) {
            sum += takeAll<T, BLOCK>(scratch);
        }
        sum = sumOfBlock<T, BLOCK>(sum, shared);
        if (threadIdx.x == 0 && isLast) {
            *g_odata = sum;
        } else if (threadIdx.x == 0) {
            leave(sum, scratch + sizeof(T) / 4 * blockIdx.x);
        }
    }
}

#define CLUSTER_1
#if __CUDA_ARCH__ >= 900
#define CLUSTER_8 __cluster_dims__(8)
#else
#define CLUSTER_8
#endif
#define CANDIDATE(T, BLOCK, LOADS, LOAD, WAY, CLUSTER)                                             \
    extern "C" __global__ void __launch_bounds__(BLOCK) CLUSTER_##CLUSTER                          \
        T##_##BLOCK##_##LOADS##_##LOAD##_##WAY##_##CLUSTER(                                        \
            const Element_##T *g_idata, Element_##T *g_odata, unsigned int size, Word *scratch)    \
    {                                                                                              \
        tried<Element_##T, BLOCK, LOADS, Load::LOAD, Way::WAY, CLUSTER>(g_idata, g_odata, size,    \
                                                                        scratch);                  \
    }
#define SMALL(T, LOAD, WAY)                                                                        \
    CANDIDATE(T, 64, 4, LOAD, WAY, 1)                                                              \
    CANDIDATE(T, 128, 1, LOAD, WAY, 1)                                                             \
    CANDIDATE(T, 128, 2, LOAD, WAY, 1)                                                             \
    CANDIDATE(T, 128, 4, LOAD, WAY, 1)                                                             \
    CANDIDATE(T, 256, 1, LOAD, WAY, 1)                                                             \
    CANDIDATE(T, 256, 2, LOAD, WAY, 1)
#define MIDDLE(T, LOAD, WAY)                                                                       \
    CANDIDATE(T, 256, 4, LOAD, WAY, 1)                                                             \
    CANDIDATE(T, 512, 2, LOAD, WAY, 1)                                                             \
    CANDIDATE(T, 512, 4, LOAD, WAY, 1)                                                             \
    CANDIDATE(T, 512, 8, LOAD, WAY, 1)                                                             \
    CANDIDATE(T, 1024, 2, LOAD, WAY, 1)                                                            \
    CANDIDATE(T, 1024, 4, LOAD, WAY, 1)
#define CLUSTERS(T)                                                                                \
    CANDIDATE(T, 128, 4, ReadOnly, Cluster, 8)                                                     \
    CANDIDATE(T, 256, 2, ReadOnly, Cluster, 8)                                                     \
    CANDIDATE(T, 256, 4, ReadOnly, Cluster, 8)                                                     \
    CANDIDATE(T, 512, 4, ReadOnly, Cluster, 8)
#define TYPE(T)                                                                                    \
    SMALL(T, ReadOnly, Alone)                                                                      \
    MIDDLE(T, ReadOnly, Alone)                                                                     \
    SMALL(T, ReadOnly, InDigits)                                                                   \
    MIDDLE(T, ReadOnly, InDigits)                                                                  \
    MIDDLE(T, Streaming, InDigits)                                                                 \
    MIDDLE(T, PassL1, InDigits)                                                                    \
    MIDDLE(T, PassL1By256, InDigits)                                                               \
    SMALL(T, ReadOnly, Ticket)                                                                     \
    MIDDLE(T, ReadOnly, Ticket)                                                                    \
    SMALL(T, ReadOnly, Gather)                                                                     \
    MIDDLE(T, ReadOnly, Gather)

// The types by their names; whole numbers are added without sign.
typedef unsigned int Element_int;
typedef float Element_float;
typedef Word Element_i64;
TYPE(int)
TYPE(float)
TYPE(i64)
CLUSTERS(int)
CLUSTERS(float)
