// A tree in shared memory that halves 48 elements: 3 become 1, and the third is left.
//@ launch sum<<<1, 48>>> buf:i32:1*48 buf:i32:0
extern "C" __global__ void sum(const int *in, int *out)
{
    __shared__ int cache[48];
    int t = threadIdx.x;
    cache[t] = in[t];
    __syncthreads();
    for (int i = blockDim.x / 2; i > 0; i /= 2) {
        if (t < i)
            cache[t] += cache[t + i];  // expect: never-read "2"
        __syncthreads();
    }
    if (t == 0)
        *out = cache[0];
}
