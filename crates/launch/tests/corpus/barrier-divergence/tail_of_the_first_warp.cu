// The first warp adds up what is left by a tree of its own, with barriers that the other warps never reach.
//@ launch sum<<<1, 128>>> buf:i32:1*128 buf:i32:0
extern "C" __global__ void sum(const int *in, int *out)
{
    __shared__ int cache[128];
    int t = threadIdx.x;
    cache[t] = in[t];
    __syncthreads();
    if (t < 64)
        cache[t] += cache[t + 64];
    __syncthreads();
    if (t < 32) {  // expect: barrier-divergence
        int v = cache[t] + cache[t + 32];
        __syncthreads();
        cache[t] = v;
        __syncthreads();
        v = t < 16 ? v + cache[t + 16] : 0;
        __syncthreads();
        cache[t] = v;
        __syncthreads();
    }
    if (t == 0)
        for (int i = 0; i < 16; i++)
            *out += cache[i];
}
