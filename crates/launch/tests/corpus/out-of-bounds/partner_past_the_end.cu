// A tree of 100 elements: the partner of the last working thread does not exist.
//@ launch reduce<<<1, 128>>> buf:i32:iota*100 i32:100
extern "C" __global__ void reduce(int* data, unsigned n) {
    unsigned t = threadIdx.x;
    for (unsigned half = 64; half > 0; half /= 2) {
        if (t < half && t < n) data[t] += data[t + half];  // expect: out-of-bounds
        __syncthreads();
    }
}
