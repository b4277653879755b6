// The child may start as late as when its parent has finished.
//@ launch parent<<<1, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
__global__ void child(int* flag) {
    atomicExch(flag, 1);
}
extern "C" __global__ void parent(int* flag, int* out) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(flag);
    while (atomicAdd(flag, 0) == 0) {}  // expect: deadlock  expect-also: child-visibility
    *out = 1;
}
