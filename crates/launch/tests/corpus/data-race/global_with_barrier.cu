// The tree of chapter 2.
// expect: clean
//@ launch reduce<<<1, 128>>> buf:i32:iota*128 buf:i32:zeros*1
//@ expect 1 = i32:8128
extern "C" __global__ void reduce(int* data, int* out) {
    unsigned t = threadIdx.x;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0) data[t] += data[t + stride];
        __syncthreads();
    }
    if (t == 0) *out = data[0];
}
