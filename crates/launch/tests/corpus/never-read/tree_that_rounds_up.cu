// A tree of 48 elements whose half is rounded up: the middle element waits for the next step.
//@ launch sum<<<1, 48>>> buf:i32:1*48 buf:i32:0
//@ expect 1 = i32:48
// expect: clean
extern "C" __global__ void sum(const int *in, int *out)
{
    __shared__ int cache[48];
    int t = threadIdx.x;
    cache[t] = in[t];
    __syncthreads();
    for (int n = blockDim.x; n > 1; n = (n + 1) / 2) {
        int half = (n + 1) / 2;
        if (t + half < n)
            cache[t] += cache[t + half];
        __syncthreads();
    }
    if (t == 0)
        *out = cache[0];
}
