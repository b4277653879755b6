// __syncthreads_count() is a barrier too: what was written before it can be read after it.
// expect: clean
//@ launch count<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
//@ expect 1 = i32:80,79,78,77,uninit*60
extern "C" __global__ void count(const int* in, int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    int large = __syncthreads_count(in[t] > 46);
    out[t] = large + s[63 - t];
}
