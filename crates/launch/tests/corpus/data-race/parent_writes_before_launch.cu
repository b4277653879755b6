// All that the launching thread has written is there for the child.
// expect: clean
//@ launch parent<<<1, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 1 = i32:1
__global__ void child(const int* x, int* out) {
    *out = *x;
}
extern "C" __global__ void parent(int* x, int* out) {
    *x = 1;
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(x, out);
}
