// A tail launch sees what all blocks of its parent wrote, before and after the launch.
// expect: clean
//@ launch parent<<<4, 32>>> buf:i32:zeros*128 buf:i32:zeros*1
//@ expect 1 = i32:8128
__global__ void after(const int* x, int* out) {
    int sum = 0;
    for (int i = 0; i < 128; i++) sum += x[i];
    *out = sum;
}
extern "C" __global__ void parent(int* x, int* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i == 0) after<<<1, 1, 0, cudaStreamTailLaunch>>>(x, out);
    x[i] = i;
}
