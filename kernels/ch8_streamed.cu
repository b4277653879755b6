// Chapter 8.3: the sum of an array that comes piece by piece, since no GPU has room for all of it.

typedef long long Exact;

constexpr unsigned int BLOCK = 512;

// The block's sum, in thread 0.
static __device__ Exact ofBlock(Exact mine, Exact *shared)
{
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        mine += __shfl_down_sync(0xffffffff, mine, lanes);
    }
    if (lane == 0) {
        shared[warp] = mine;
    }
    __syncthreads();
    if (warp == 0) {
        mine = lane < BLOCK / 32 ? shared[lane] : 0;
        for (int lanes = 16; lanes > 0; lanes /= 2) {
            mine += __shfl_down_sync(0xffffffff, mine, lanes);
        }
    }
    return mine;
}

// ANCHOR: reducePiece
// The exact sum of a piece: 64 bits hold that of 2^32 ints. One launch, as in this chapter's reduceShare: the
// block with the last ticket adds the sums of the others. `g_odata` lies in the host's memory; `ticket` is 0
// before the first launch, and 0 again after each. The piece begins at a multiple of 16 bytes.
extern "C" __global__ void __launch_bounds__(BLOCK)
    reducePiece(const int *g_idata, Exact *g_odata, unsigned int size, Exact *partials,
                unsigned int *ticket)
{
    __shared__ Exact shared[BLOCK / 32];
    __shared__ bool isLast;
    unsigned int vectors = size / 4, thread = blockIdx.x * BLOCK + threadIdx.x;
    Exact sum = thread < size % 4 ? g_idata[vectors * 4 + thread] : 0;
    for (unsigned int i = thread; i < vectors; i += gridDim.x * BLOCK) {
        int4 v = ((const int4 *)g_idata)[i];
        sum += Exact(v.x) + v.y + v.z + v.w;
    }
    sum = ofBlock(sum, shared);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        __threadfence(); // the sum before the ticket
        isLast = atomicAdd(ticket, 1) == gridDim.x - 1;
        __threadfence(); // the ticket before the sums of the others; the barrier extends it to the block
    }
    __syncthreads();
    if (isLast) {
        sum = 0;
        for (unsigned int i = threadIdx.x; i < gridDim.x; i += BLOCK) {
            sum += ((volatile Exact *)partials)[i];
        }
        sum = ofBlock(sum, shared);
        if (threadIdx.x == 0) {
            *g_odata = sum;
            *ticket = 0; // for the next launch
        }
    }
}
// ANCHOR_END: reducePiece
