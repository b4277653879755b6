// One block adds up its numbers, and somebody has forgotten a barrier.

// ANCHOR: sum
extern "C" __global__ void sum(const int *in, int *out)
{
    __shared__ int partial[64];
    unsigned t = threadIdx.x;
    partial[t] = in[t];
    // Missing: __syncthreads(), so that every element is there before a neighbour reads it.
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride)
            partial[t] += partial[t + stride];
        __syncthreads();
    }
    if (t == 0)
        *out = partial[0];
}
//@ launch sum<<<1, 64>>> buf:i32:iota*64 buf:i32:uninit*1
// ANCHOR_END: sum
