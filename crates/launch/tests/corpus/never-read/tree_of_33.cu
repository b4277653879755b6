// A tree that halves 33 elements never reads the last one that was loaded.
//@ launch sum<<<1, 33>>> buf:i32:1*33 buf:i32:0
extern "C" __global__ void sum(const int *in, int *out)
{
    __shared__ int cache[33];
    int t = threadIdx.x;
    cache[t] = in[t] * 2;  // expect: never-read "32"
    __syncthreads();
    for (int i = blockDim.x / 2; i > 0; i /= 2) {
        if (t < i)
            cache[t] += cache[t + i];
        __syncthreads();
    }
    if (t == 0)
        *out = cache[0];
}
