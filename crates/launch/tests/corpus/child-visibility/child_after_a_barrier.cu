// What the launching thread can see, its child can: behind the barrier that is all that the block wrote.
// expect: clean
//@ launch parent<<<1, 64>>> buf:i32:zeros*64 buf:i32:zeros*64
//@ expect 1 = i32:63,62,61,uninit*61
__global__ void child(const int* x, int* out) {
    out[threadIdx.x] = x[63 - threadIdx.x];
}
extern "C" __global__ void parent(int* x, int* out) {
    unsigned t = threadIdx.x;
    x[t] = t;
    __syncthreads();
    if (t == 0) child<<<1, 64>>>(x, out);
}
