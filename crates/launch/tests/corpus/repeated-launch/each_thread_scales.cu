// All threads of the parent launch the child, which doubles the array: 32 times, one after the other.
//@ launch driver<<<1, 32>>> buf:i32:iota*64
extern "C" __global__ void scale(int* x) {
    x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}
extern "C" __global__ void driver(int* x) {
    scale<<<2, 32>>>(x);  // expect: repeated-launch "32"
}
