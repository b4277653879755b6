// Exercise 2.3: The maximum instead of the sum
//
// The tree works for every associative operation. Let it find the largest number. For an empty array the
// answer is the value that changes no maximum: the smallest `int`, `INT_MIN`.
//
// The host launches `maxNeighbored(data, out, n)` with one block.
//
// You learn what an operation other than the sum needs: an identity of its own, a value that changes no
// result. About 5 minutes.
//
// Check it:  cargo run --example exercise -- 2.3
// A hint:    cargo run --example exercise -- hint 2.3

#include <limits.h>

extern "C" __global__ void maxNeighbored(int *g_data, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            g_data[tid] += g_data[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
}
