// Blocks may go different ways: a barrier is for one block.
// expect: clean
//@ launch odd<<<2, 64>>> buf:i32:iota*128 buf:i32:zeros*128
//@ expect 1 = i32:0,1,2,3,uninit*124
extern "C" __global__ void odd(const int* in, int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    int value = in[blockIdx.x * 64 + t];
    if (blockIdx.x % 2 == 1) {
        s[t] = value;
        __syncthreads();
        value = s[63 - t];
    }
    out[blockIdx.x * 64 + t] = value;
}
