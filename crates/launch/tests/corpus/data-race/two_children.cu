// Fire-and-forget children run side by side.
//@ launch parent<<<1, 1>>> buf:i32:zeros*1
__global__ void child(int* x, int value) {
    *x = value;  // expect: data-race
}
extern "C" __global__ void parent(int* x) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(x, 1);
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(x, 2);
}
