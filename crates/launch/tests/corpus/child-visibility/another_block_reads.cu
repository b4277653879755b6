// The read is made by a thread that launched nothing; its grid is the parent all the same.
//@ launch parent<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
__global__ void child(int* x) {
    *x = 7;  // expect-also: child-visibility, data-race
}
extern "C" __global__ void parent(int* x, int* out) {
    if (blockIdx.x == 0) {
        child<<<1, 1, 0, cudaStreamFireAndForget>>>(x);
    } else {
        *out = *x;  // expect: child-visibility|data-race  expect-also: child-visibility, data-race
    }
}
