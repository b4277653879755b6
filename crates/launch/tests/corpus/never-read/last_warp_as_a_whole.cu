// The last warp of a tree adds with all its lanes, and most of what they leave is never needed.
//@ launch sum<<<1, 64>>> buf:i32:1*64 buf:i32:0
//@ expect 1 = i32:64
// expect: clean
extern "C" __global__ void sum(const int *in, int *out)
{
    __shared__ int cache[64 + 32];
    int t = threadIdx.x;
    cache[t] = in[t];
    if (t < 32)
        cache[64 + t] = 0;
    __syncthreads();
    if (t < 32) {
        for (int i = 32; i > 0; i /= 2) {
            int both = cache[t] + cache[t + i];
            __syncwarp();
            cache[t] = both;
            __syncwarp();
        }
    }
    if (t == 0)
        *out = cache[0];
}
