// A grid-stride loop with a shuffle in it: all lanes go round equally often.
// expect: clean
//@ launch sums<<<2, 32>>> buf:i32:iota*256 i32:256 buf:i32:zeros*2
//@ expect 2 = i32:14272,18368
extern "C" __global__ void sums(const int* in, int n, int* out) {
    int total = 0;
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) {
        int sum = in[i];
        for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xffffffff, sum, half);
        total += sum;
    }
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}
