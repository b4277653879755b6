// 5.3 Two results, no bank conflicts
//
// One block finds the range of its numbers: the largest minus the smallest. Both go through one tree in
// shared memory, as pairs: the smallest in word `2 * t`, the largest in word `2 * t + 1`. Neighbouring lanes
// are then two words apart, and lanes 0 and 16 use the same one of the 32 banks: one of them has to wait.
// Keep the tree, and lay out the tile so that no lane waits.
//
//@ learn to recognise bank conflicts, and to lay out shared memory without them
//@ minutes 15
//@ launch rangeOfBlock<<<1, block>>> @input @out u32:n
//@ result out
//@ op range
//@ one-block
//@ goal shared_bank_conflicts <= 0 n=256 block=256
//@ hint Word w is in bank w % 32. Which banks do lanes 0 to 31 touch when thread t reads word `2 * t`?
//@ hint There are no conflicts if lane t of a warp touches word t of some array. The tile has room for two
//@      arrays.
//@ hint All the smallest numbers first, then all the largest: where does the second array begin?
//@ why Two arrays have no conflicts, and an array of pairs has. When is the array of pairs just as good?
//@ because When both words of a pair are loaded at once, as an `int2` of 8 bytes: the hardware then serves
//@      half a warp at a time, and 16 pairs fill all 32 banks exactly.
//@ mutant as-before: goal
//@ - return tid;
//@ + return 2 * tid;
//@ - return MOST + tid;
//@ + return 2 * tid + 1;
//@ mutant only-where-it-is-measured: goal
//@ - return tid;
//@ + return blockDim.x == 256 ? tid : 2 * tid;
//@ - return MOST + tid;
//@ + return blockDim.x == 256 ? MOST + tid : 2 * tid + 1;
//@ mutant two-arrays-of-every-second-word: goal
//@ - return tid;
//@ + return 2 * tid;
//@ - return MOST + tid;
//@ + return 2 * MOST + 2 * tid;
//@ - tile[2 * MOST]
//@ + tile[4 * MOST]
//@ mutant overlapping-arrays: data-race
//@ - return MOST + tid;
//@ + return tid + 1;
//@ mutant a-tile-of-256-pairs: out-of-bounds
//@ - MOST = 1024
//@ + MOST = 256
//@ mutant no-barrier-after-the-loads: data-race
//@ - __syncthreads(); // all pairs are there
//@ + // nothing
//@ mutant smallest-of-both: wrong-result
//@ - max(tile[largest(tid)], tile[largest(tid + half)])
//@ + min(tile[largest(tid)], tile[largest(tid + half)])
//@ mutant thread-0-alone: one-thread
//@ = #include <limits.h>
//@ =
//@ = extern "C" __global__ void rangeOfBlock(const int *g_idata, int *g_odata, unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         int low = INT_MAX, high = INT_MIN;
//@ =         for (unsigned int i = 0; i < size; i++) {
//@ =             low = min(low, g_idata[i]);
//@ =             high = max(high, g_idata[i]);
//@ =         }
//@ =         *g_odata = size > 0 ? (int)((unsigned int)high - (unsigned int)low) : 0;
//@ =     }
//@ = }
//@ mutant one-warp-and-stores-that-nobody-reads: one-thread
//@ = extern "C" __global__ void rangeOfBlock(const int *g_idata, int *g_odata, unsigned int size)
//@ = {
//@ =     __shared__ volatile int idle[1024];
//@ =     if (threadIdx.x < size) {
//@ =         idle[threadIdx.x] = g_idata[threadIdx.x];
//@ =     }
//@ =     if (threadIdx.x < 32) {
//@ =         int least = 2147483647, most = -2147483647 - 1;
//@ =         for (unsigned int i = threadIdx.x; i < size; i += 32) {
//@ =             least = min(least, g_idata[i]);
//@ =             most = max(most, g_idata[i]);
//@ =         }
//@ =         for (unsigned int distance = 16; distance > 0; distance /= 2) {
//@ =             least = min(least, __shfl_down_sync(0xffffffff, least, distance));
//@ =             most = max(most, __shfl_down_sync(0xffffffff, most, distance));
//@ =         }
//@ =         if (threadIdx.x == 0) {
//@ =             *g_odata = size > 0 ? (unsigned int)most - (unsigned int)least : 0;
//@ =         }
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = #include <limits.h>
//@ =
//@ = extern "C" __global__ void rangeOfBlock(const int *g_idata, int *g_odata, unsigned int size)
//@ = {
//@ =     __shared__ int low, high;
//@ =     if (threadIdx.x == 0) {
//@ =         low = INT_MAX;
//@ =         high = INT_MIN;
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x < size) {
//@ =         atomicMin(&low, g_idata[threadIdx.x]);
//@ =         atomicMax(&high, g_idata[threadIdx.x]);
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         *g_odata = size > 0 ? (int)((unsigned int)high - (unsigned int)low) : 0;
//@ =     }
//@ = }
//@ mutant padded: passes
//@ - return tid;
//@ + return tid + tid / 32;
//@ - return MOST + tid;
//@ + return 2 * MOST + tid + tid / 32;
//@ - tile[2 * MOST]
//@ + tile[4 * MOST]

const unsigned int MOST = 1024; // threads per block

// The words of the tile that belong to a thread.
static __device__ unsigned int smallest(unsigned int tid)
{
    //@ begin
    return tid;
    //@ stub
    //| return 2 * tid;
    //@ end
}

static __device__ unsigned int largest(unsigned int tid)
{
    //@ begin
    return MOST + tid;
    //@ stub
    //| return 2 * tid + 1;
    //@ end
}

extern "C" __global__ void rangeOfBlock(const int *g_idata, int *g_odata, unsigned int size)
{
    __shared__ int tile[2 * MOST];
    unsigned int tid = threadIdx.x;
    if (tid < size) {
        tile[smallest(tid)] = g_idata[tid];
        tile[largest(tid)] = g_idata[tid];
    }
    __syncthreads(); // all pairs are there
    for (unsigned int length = size; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[smallest(tid)] = min(tile[smallest(tid)], tile[smallest(tid + half)]);
            tile[largest(tid)] = max(tile[largest(tid)], tile[largest(tid + half)]);
        }
        __syncthreads();
    }
    if (tid == 0) {
        // Unsigned: the difference of two ints may not fit one.
        *g_odata = size > 0 ? (unsigned int)tile[largest(0)] - (unsigned int)tile[smallest(0)] : 0;
    }
}
