// One thread of the block launches the child.
// expect: clean
//@ launch driver<<<1, 32>>> buf:i32:iota*64
//@ expect 0 = i32:0,2,4,uninit*61
extern "C" __global__ void scale(int* x) {
    x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}
extern "C" __global__ void driver(int* x) {
    if (threadIdx.x == 0) scale<<<2, 32>>>(x);
}
