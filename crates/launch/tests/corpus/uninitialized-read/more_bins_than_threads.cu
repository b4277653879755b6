// Each thread sets one bin to zero, and there are more bins than threads.
//@ launch count<<<1, 64>>> buf:i32:iota*128 buf:i32:zeros*128
extern "C" __global__ void count(const int *in, int *out) {
    __shared__ int bins[128];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < 128; i += blockDim.x) {
        atomicAdd(&bins[in[i]], 1);  // expect: uninitialized-read "64"
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 128; i += blockDim.x) {
        out[i] = bins[i];  // expect-also: uninitialized-read
    }
}
