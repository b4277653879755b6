// Chapter 2: one block of threads adds up one array, in place.
//
// Thread t owns element t. In step `stride` (1, 2, 4, ...) the threads whose index is a multiple of
// 2*stride add the element that lies `stride` further on. The sum ends up in element 0.
//
// Both kernels need one block with at least `size` threads, and are meant for any such size. The
// numbers are unsigned here, so that sums wrap as the host's do: signed overflow is undefined in C++.

// The post's first try. Nothing makes thread 4 wait until thread 6 has finished its own step, so
// element 6 is read and written in no particular order. Kept because it teaches.
// ANCHOR: reduceNeighboredNoBarrier
extern "C" __global__ void reduceNeighboredNoBarrier(unsigned int *g_data, unsigned int *g_odata,
                                                     unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            g_data[tid] += g_data[tid + stride];
        }
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
// ANCHOR_END: reduceNeighboredNoBarrier

// ANCHOR: reduceNeighbored
extern "C" __global__ void reduceNeighbored(unsigned int *g_data, unsigned int *g_odata,
                                            unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            g_data[tid] += g_data[tid + stride];
        }
        // Outside the `if`: every thread of the block arrives, also those with nothing to add.
        __syncthreads();
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
// ANCHOR_END: reduceNeighbored
