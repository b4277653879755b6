// The child sees what the parent wrote before the launch. What it writes afterwards races with the child.
//@ launch parent<<<1, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
__global__ void child(const int* x, int* out) {
    *out = *x;  // expect-also: data-race
}
extern "C" __global__ void parent(int* x, int* out) {
    *x = 1;
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(x, out);
    *x = 2;  // expect: data-race
}
