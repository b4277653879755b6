// 48 threads: the second warp has 16 lanes, and the tree reads sixteen more.
//@ launch sums<<<1, 48>>> buf:i32:iota*48 buf:i32:zeros*2
extern "C" __global__ void sums(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int sum = in[t];
    for (int half = 16; half > 0; half /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, half);  // expect: warp-collective
    }
    if (t % 32 == 0) out[t / 32] = sum;  // expect-also: uninitialized-read
}
