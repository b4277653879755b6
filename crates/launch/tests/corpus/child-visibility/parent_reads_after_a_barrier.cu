// A barrier orders the threads of a block. A child is none of them.
//@ launch parent<<<1, 64>>> buf:i32:zeros*64 buf:i32:zeros*64
__global__ void child(int* x) {
    x[threadIdx.x] = 7;  // expect-also: child-visibility, data-race
}
extern "C" __global__ void parent(int* x, int* out) {
    unsigned t = threadIdx.x;
    if (t == 0) child<<<1, 64>>>(x);
    __syncthreads();
    out[t] = x[t];  // expect: child-visibility  expect-also: data-race
}
