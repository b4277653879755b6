// __syncthreads_count() counts the threads that come. Half of the block does not.
//@ launch count<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
extern "C" __global__ void count(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int many = -1;
    if (t < 32) {
        many = __syncthreads_count(in[t] > 5);  // expect: barrier-divergence
    }
    out[t] = many;
}
