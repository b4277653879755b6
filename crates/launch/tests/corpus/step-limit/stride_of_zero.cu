// The loop goes on by a stride that the host computed to 0.
//@ launch fill<<<1, 32>>> buf:i32:zeros*64 i32:64 i32:0
extern "C" __global__ void fill(int* out, int n, int stride) {
    for (int i = threadIdx.x; i < n; i += stride) atomicAdd(&out[i], 1);  // expect: step-limit
}
