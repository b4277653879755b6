// A parent cannot see what its child writes: nothing in device code waits for a child.
//@ launch parent<<<1, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
__global__ void child(int* x) {
    *x = 7;  // expect-also: child-visibility, data-race
}
extern "C" __global__ void parent(int* x, int* out) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(x);
    *out = *x;  // expect: child-visibility  expect-also: data-race
}
