// A tail launch runs when the parent and its other children are complete, and sees all that they wrote.
// expect: clean
//@ launch parent<<<1, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 1 = i32:7
__global__ void child(int* x) {
    *x = 7;
}
__global__ void after(const int* x, int* out) {
    *out = *x;
}
extern "C" __global__ void parent(int* x, int* out) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(x);
    after<<<1, 1, 0, cudaStreamTailLaunch>>>(x, out);
}
