// The tree of chapter 2 without its barrier: a thread adds a sum that its neighbour may not have made yet.
//@ launch reduce<<<1, 128>>> buf:i32:iota*128
extern "C" __global__ void reduce(int* data) {
    unsigned t = threadIdx.x;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0) data[t] += data[t + stride];  // expect: data-race
    }
}
