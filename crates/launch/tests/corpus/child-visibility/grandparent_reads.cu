// What the grandchild writes is no more visible than what the child writes.
//@ launch parent<<<1, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
__global__ void grandchild(int* x) {
    *x = 7;  // expect-also: child-visibility, data-race
}
__global__ void child(int* x) {
    grandchild<<<1, 1, 0, cudaStreamTailLaunch>>>(x);
}
extern "C" __global__ void parent(int* x, int* out) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(x);
    *out = *x;  // expect: child-visibility  expect-also: data-race
}
