// The first step of a tree leaves out the last pair, since its bound is one too small.
//@ launch sum<<<1, 64>>> buf:i32:1*64 buf:i32:0
extern "C" __global__ void sum(const int *in, int *out)
{
    __shared__ int cache[64];
    int t = threadIdx.x;
    cache[t] = in[t];  // expect: never-read "63"
    __syncthreads();
    for (int i = 32; i > 0; i /= 2) {
        if (t < i && t + i < 63)
            cache[t] += cache[t + i];
        __syncthreads();
    }
    if (t == 0)
        *out = cache[0];
}
