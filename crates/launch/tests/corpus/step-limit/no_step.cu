// Nothing makes the stride smaller.
//@ launch sum<<<1, 32>>> buf:i32:zeros*32 i32:32
extern "C" __global__ void sum(int* out, int n) {
    for (int stride = n / 2; stride > 0;) {  // expect: step-limit "way"
        out[threadIdx.x] += stride;
        __syncthreads();
    }
}
