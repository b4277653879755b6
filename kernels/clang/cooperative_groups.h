// What the kernels of this workbook use of cooperative groups: see cuda.h.

#pragma once

namespace cooperative_groups {

// The threads of a block.
struct thread_block {
    enum { WB_IS_OF_A_WARP = false };
    struct arrival_token {};
    WB_DEVICE void sync() { __syncthreads(); }
    WB_DEVICE arrival_token barrier_arrive() { return {}; }
    WB_DEVICE void barrier_wait(arrival_token &&) { __syncthreads(); }
    WB_DEVICE unsigned int thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    WB_DEVICE unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
    WB_DEVICE unsigned int num_threads() { return size(); }
    WB_DEVICE dim3 group_index() { return (uint3)blockIdx; }
    WB_DEVICE dim3 thread_index() { return (uint3)threadIdx; }
    WB_DEVICE dim3 group_dim() { return blockDim; }
    WB_DEVICE dim3 dim_threads() { return blockDim; }
};
WB_DEVICE thread_block this_thread_block() { return thread_block(); }

// A value of any size goes from lane to lane in words: `shuffle` says what becomes of one `word`.
#define WB_SHUFFLE(name, parameter, shuffle)                                                                           \
    template <typename T> WB_SHUFFLED T name(T value, parameter) WB_CONST                                              \
    {                                                                                                                  \
        struct {                                                                                                       \
            int word[(sizeof(T) + 3) / 4];                                                                             \
        } bits = {};                                                                                                   \
        __builtin_memcpy(&bits, &value, sizeof(T));                                                                    \
        _Pragma("unroll") for (int &word : bits.word) { word = shuffle; }                                              \
        __builtin_memcpy(&value, &bits, sizeof(T));                                                                    \
        return value;                                                                                                  \
    }

// SIZE neighbouring lanes of a warp, whatever they are a part of.
template <unsigned int SIZE> struct wb_tile {
    static_assert(SIZE >= 1 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0,
                  "a tile is a part of a warp; for one of several warps compile with nvcc");
    enum { WB_IS_OF_A_WARP = true };
    WB_DEVICE unsigned int thread_rank() { return thread_block::thread_rank() % SIZE; }
    static constexpr __device__ WB_INLINE unsigned int size() { return SIZE; }
    static constexpr __device__ WB_INLINE unsigned int num_threads() { return SIZE; }
    WB_DEVICE int any(int holds) { return __any_sync(wb_lanes(), holds); }
    WB_DEVICE int all(int holds) { return __all_sync(wb_lanes(), holds); }
    WB_DEVICE unsigned int ballot(int holds) { return __ballot_sync(wb_lanes(), holds) >> first_lane(); }
    template <typename T> WB_DEVICE unsigned int match_any(T value)
    {
        return __match_any_sync(wb_lanes(), value) >> first_lane();
    }
    WB_DEVICE void sync() { __syncwarp(wb_lanes()); }
#define WB_SHUFFLED WB_DEVICE
#define WB_CONST
    WB_SHUFFLE(shfl, int lane, __shfl_sync(wb_lanes(), word, lane, SIZE))
    WB_SHUFFLE(shfl_down, unsigned int distance, __shfl_down_sync(wb_lanes(), word, distance, SIZE))
    WB_SHUFFLE(shfl_up, unsigned int distance, __shfl_up_sync(wb_lanes(), word, distance, SIZE))
    WB_SHUFFLE(shfl_xor, unsigned int mask, __shfl_xor_sync(wb_lanes(), word, mask, SIZE))
#undef WB_CONST
#undef WB_SHUFFLED
    WB_DEVICE unsigned int wb_lanes()
    {
        unsigned int lane = thread_block::thread_rank() % 32;
        return SIZE == 32 ? 0xffffffff : ((1u << SIZE % 32) - 1) << lane / SIZE * SIZE;
    }

private:
    WB_DEVICE unsigned int first_lane() { return thread_block::thread_rank() % 32 / SIZE * SIZE; }
};

// One of the tiles that PARENT is divided into.
template <unsigned int SIZE, typename PARENT = void> struct thread_block_tile : wb_tile<SIZE> {
    WB_DEVICE unsigned int meta_group_rank() { return PARENT::thread_rank() / SIZE; }
    WB_DEVICE unsigned int meta_group_size() { return (PARENT::size() + SIZE - 1) / SIZE; }
};
// One whose type does not say of what.
template <unsigned int SIZE> struct thread_block_tile<SIZE, void> : wb_tile<SIZE> {
    template <typename PARENT>
    __device__ WB_INLINE thread_block_tile(const thread_block_tile<SIZE, PARENT> &tile)
        : rank(tile.meta_group_rank()), tiles(tile.meta_group_size())
    {
    }
    __device__ WB_INLINE unsigned int meta_group_rank() const { return rank; }
    __device__ WB_INLINE unsigned int meta_group_size() const { return tiles; }

private:
    unsigned int rank, tiles;
};
template <unsigned int SIZE> WB_DEVICE thread_block_tile<SIZE, thread_block> tiled_partition(const thread_block &)
{
    return {};
}
template <unsigned int SIZE, unsigned int WHOLE, typename PARENT>
WB_DEVICE thread_block_tile<SIZE, thread_block_tile<WHOLE, PARENT>>
tiled_partition(const thread_block_tile<WHOLE, PARENT> &)
{
    static_assert(SIZE < WHOLE, "a part of a tile is smaller than the tile");
    return {};
}
WB_DEVICE thread_block_tile<1> this_thread()
{
    return thread_block_tile<1, thread_block_tile<1, thread_block>>();
}

// Some lanes of a warp: their ranks leave out the lanes between them.
struct coalesced_group {
    enum { WB_IS_OF_A_WARP = true };
    explicit __device__ WB_INLINE coalesced_group(unsigned int lanes, unsigned int rank = 0, unsigned int groups = 1)
        : mask(lanes), rank(rank), groups(groups)
    {
    }
    __device__ WB_INLINE unsigned int size() const { return __popc(mask); }
    __device__ WB_INLINE unsigned int num_threads() const { return size(); }
    __device__ WB_INLINE unsigned int thread_rank() const { return __popc(mask & ((1u << own_lane()) - 1)); }
    __device__ WB_INLINE unsigned int meta_group_rank() const { return rank; }
    __device__ WB_INLINE unsigned int meta_group_size() const { return groups; }
    __device__ WB_INLINE void sync() const { __syncwarp(mask); }
    __device__ WB_INLINE int any(int holds) const { return __any_sync(mask, holds); }
    __device__ WB_INLINE int all(int holds) const { return __all_sync(mask, holds); }
    __device__ WB_INLINE unsigned int ballot(int holds) const { return by_rank(__ballot_sync(mask, holds)); }
    template <typename T> __device__ WB_INLINE unsigned int match_any(T value) const
    {
        return by_rank(__match_any_sync(mask, value));
    }
#define WB_SHUFFLED __device__ WB_INLINE
#define WB_CONST const
    WB_SHUFFLE(shfl, int rank, __shfl_sync(mask, word, __fns(mask, 0, rank + 1)))
    WB_SHUFFLE(shfl_down, unsigned int distance, __shfl_sync(mask, word, lane_at(distance + 1)))
    WB_SHUFFLE(shfl_up, int distance, __shfl_sync(mask, word, lane_at(-distance - 1)))
#undef WB_CONST
#undef WB_SHUFFLED
    __device__ WB_INLINE unsigned int wb_lanes() const { return mask; }
    // Those of the lanes whose ranks are in the same `size` ranks as this thread's.
    __device__ WB_INLINE unsigned int wb_part(unsigned int size) const
    {
        unsigned int first = __fns(mask, 0, thread_rank() / size * size + 1);
        unsigned int behind = __fns(mask, first, size + 1);
        return mask & ~((1u << first) - 1) & (behind < 32 ? (1u << behind) - 1 : 0xffffffff);
    }

private:
    unsigned int mask, rank, groups;

    WB_DEVICE unsigned int own_lane() { return thread_block::thread_rank() % 32; }
    // The lane that is so many behind this one, counted from 1, or this one if there is none.
    __device__ WB_INLINE unsigned int lane_at(int number) const
    {
        unsigned int lane = __fns(mask, own_lane(), number);
        return lane < 32 ? lane : own_lane();
    }
    __device__ WB_INLINE unsigned int by_rank(unsigned int lanes) const
    {
        unsigned int ranks = 0;
        unsigned int bit = 1;
        for (unsigned int left = mask; left != 0; left &= left - 1, bit *= 2) {
            ranks |= lanes & left & -left ? bit : 0;
        }
        return ranks;
    }
};
#undef WB_SHUFFLE
// The lanes that run this together.
WB_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
WB_DEVICE coalesced_group tiled_partition(const coalesced_group &group, unsigned int size)
{
    unsigned int groups = (group.size() + size - 1) / size;
    return coalesced_group(group.wb_part(size), group.thread_rank() / size, groups);
}
// Those for which it holds, and those for which it does not; `group` is a tile or a coalesced group.
template <typename GROUP> WB_DEVICE coalesced_group binary_partition(const GROUP &group, bool holds)
{
    unsigned int lanes = group.wb_lanes();
    unsigned int holding = __ballot_sync(lanes, holds);
    if (holding == 0 || holding == lanes) {
        return coalesced_group(lanes);
    }
    return coalesced_group(holds ? holding : lanes & ~holding, holds, 2);
}
// Those with the same label.
template <typename GROUP, typename T> WB_DEVICE coalesced_group labeled_partition(const GROUP &group, T label)
{
    if constexpr (__is_same(T, bool)) {
        return binary_partition(group, label);
    }
    unsigned int lanes = group.wb_lanes();
    unsigned int same = __match_any_sync(lanes, label);
    unsigned int before = (same & -same) - 1; // the lanes before the first of them
    unsigned int firsts = __ballot_sync(lanes, thread_block::thread_rank() % 32 == __ffs(same) - 1);
    return coalesced_group(same, __popc(firsts & before), __popc(firsts));
}

// A group whose kind is known when the kernel runs: a block, or some lanes of a warp.
struct thread_group {
    enum { WB_IS_OF_A_WARP = false };
    WB_DEVICE thread_group of(unsigned int lanes, unsigned int count)
    {
        thread_group group;
        group.mask = lanes;
        group.count = count;
        return group;
    }
    __device__ WB_INLINE thread_group() : mask(0), count(0) {}
    __device__ WB_INLINE thread_group(thread_block) : mask(0), count(thread_block::size()) {}
    template <unsigned int SIZE, typename PARENT>
    __device__ WB_INLINE thread_group(thread_block_tile<SIZE, PARENT>) : thread_group(of_tile(SIZE))
    {
    }
    __device__ WB_INLINE thread_group(coalesced_group group) : mask(group.wb_lanes()), count(group.size()) {}
    __device__ WB_INLINE void sync() const
    {
        if (mask == 0) {
            __syncthreads();
        } else {
            __syncwarp(mask);
        }
    }
    __device__ WB_INLINE unsigned int size() const { return count; }
    __device__ WB_INLINE unsigned int num_threads() const { return count; }
    __device__ WB_INLINE unsigned int thread_rank() const
    {
        unsigned int rank = thread_block::thread_rank();
        return mask == 0 ? rank : __popc(mask & ((1u << rank % 32) - 1));
    }
    // The tile of `size` neighbouring lanes that this thread is in.
    WB_DEVICE thread_group of_tile(unsigned int size)
    {
        unsigned int lane = thread_block::thread_rank() % 32;
        return of(size == 32 ? 0xffffffff : ((1u << size) - 1) << lane / size * size, size);
    }
    __device__ WB_INLINE thread_group part(unsigned int size) const
    {
        return mask == 0 ? of_tile(size) : thread_group(tiled_partition(coalesced_group(mask), size));
    }

private:
    unsigned int mask; // of a warp's lanes, and 0 for a block
    unsigned int count;
};
WB_DEVICE thread_group tiled_partition(const thread_group &group, unsigned int size) { return group.part(size); }

template <typename GROUP> WB_DEVICE void sync(const GROUP &group) { group.sync(); }
template <typename GROUP> WB_DEVICE auto thread_rank(const GROUP &group) { return group.thread_rank(); }
template <typename GROUP> WB_DEVICE auto group_size(const GROUP &group) { return group.size(); }

// All blocks of a cooperative launch. They count themselves in a word that the launch provides.
struct grid_group {
    enum { WB_IS_OF_A_WARP = false };
    WB_DEVICE bool is_valid() { return true; }
    WB_DEVICE unsigned long long size()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
    }
    WB_DEVICE unsigned long long num_threads() { return size(); }
    WB_DEVICE dim3 dim_blocks() { return gridDim; }
    WB_DEVICE dim3 group_dim() { return gridDim; }
    WB_DEVICE unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    WB_DEVICE dim3 block_index() { return (uint3)blockIdx; }
    WB_DEVICE unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    WB_DEVICE unsigned long long thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
    WB_DEVICE void sync()
    {
        unsigned int high, low;
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        unsigned int *arrived = (unsigned int *)((unsigned long long)high << 32 | low) + 1;
        if (high == 0 && low == 0) {
            __trap(); // the launch was no cooperative one
        }
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
            __threadfence();
            unsigned int before = atomicAdd(arrived, 1);
            unsigned int wanted = before - before % blocks + blocks;
            while ((int)(*(volatile unsigned int *)arrived - wanted) < 0) {
            }
            __threadfence();
        }
        __syncthreads();
    }
};
WB_DEVICE grid_group this_grid() { return grid_group(); }

} // namespace cooperative_groups
