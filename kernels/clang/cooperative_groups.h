// What the kernels of this workbook use of cooperative groups: see cuda.h.

#pragma once

namespace cooperative_groups {

// The threads of a block.
struct thread_block {
    WB_DEVICE void sync() { __syncthreads(); }
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

// SIZE neighbouring lanes of a warp.
template <unsigned int SIZE> struct thread_block_tile {
    static_assert(SIZE >= 1 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0, "a tile is a part of a warp");
    WB_DEVICE unsigned int thread_rank() { return thread_block::thread_rank() % SIZE; }
    WB_DEVICE unsigned int meta_group_rank() { return thread_block::thread_rank() / SIZE; }
    static constexpr __device__ WB_INLINE unsigned int size() { return SIZE; }
    static constexpr __device__ WB_INLINE unsigned int num_threads() { return SIZE; }
    WB_DEVICE unsigned int meta_group_size() { return (thread_block::size() + SIZE - 1) / SIZE; }
    WB_DEVICE int any(int holds) { return __any_sync(lanes(), holds); }
    WB_DEVICE int all(int holds) { return __all_sync(lanes(), holds); }
    WB_DEVICE unsigned int ballot(int holds) { return __ballot_sync(lanes(), holds) >> first_lane(); }
    WB_DEVICE void sync() { __syncwarp(lanes()); }
    template <typename T> WB_DEVICE T shfl(T value, int lane) { return __shfl_sync(lanes(), value, lane, SIZE); }
    template <typename T> WB_DEVICE T shfl_down(T value, unsigned int distance)
    {
        return __shfl_down_sync(lanes(), value, distance, SIZE);
    }
    template <typename T> WB_DEVICE T shfl_up(T value, unsigned int distance)
    {
        return __shfl_up_sync(lanes(), value, distance, SIZE);
    }
    template <typename T> WB_DEVICE T shfl_xor(T value, unsigned int mask)
    {
        return __shfl_xor_sync(lanes(), value, mask, SIZE);
    }

private:
    WB_DEVICE unsigned int first_lane() { return thread_block::thread_rank() % 32 / SIZE * SIZE; }
    WB_DEVICE unsigned int lanes()
    {
        unsigned int lane = thread_block::thread_rank() % 32;
        return SIZE == 32 ? 0xffffffff : ((1u << SIZE % 32) - 1) << lane / SIZE * SIZE;
    }
};
template <unsigned int SIZE> WB_DEVICE thread_block_tile<SIZE> tiled_partition(thread_block)
{
    return thread_block_tile<SIZE>();
}

// A group whose kind is known when the kernel runs: a block, or some lanes of a warp.
struct thread_group {
    WB_DEVICE thread_group of(unsigned int lanes, unsigned int count)
    {
        thread_group group;
        group.mask = lanes;
        group.count = count;
        return group;
    }
    __device__ WB_INLINE thread_group() : mask(0), count(0) {}
    __device__ WB_INLINE thread_group(thread_block) : mask(0), count(thread_block::size()) {}
    template <unsigned int SIZE> __device__ WB_INLINE thread_group(thread_block_tile<SIZE>) : thread_group(of_tile(SIZE))
    {
    }
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

private:
    unsigned int mask; // of a warp's lanes, and 0 for a block
    unsigned int count;
};
WB_DEVICE thread_group tiled_partition(const thread_group &, unsigned int size) { return thread_group::of_tile(size); }
// The lanes that run this together.
WB_DEVICE thread_group coalesced_threads()
{
    unsigned int lanes = __activemask();
    return thread_group::of(lanes, __popc(lanes));
}
WB_DEVICE void sync(const thread_group &group) { group.sync(); }

// All blocks of a cooperative launch. They count themselves in a word that the launch provides.
struct grid_group {
    WB_DEVICE bool is_valid() { return true; }
    WB_DEVICE unsigned long long size()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
    }
    WB_DEVICE unsigned long long num_threads() { return size(); }
    WB_DEVICE dim3 dim_blocks() { return gridDim; }
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
