// What a lane never read from memory properly, a shuffle hands to the others.
//@ launch sum<<<1, 32>>> buf:i32:uninit*32 buf:i32:zeros*1
extern "C" __global__ void sum(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0) {
        *out = sum;  // expect: uninitialized-read
    }
}
