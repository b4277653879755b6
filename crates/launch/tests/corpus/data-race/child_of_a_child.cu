// Grandparent and grandchild: nothing says that the grandchild has not started yet, or that it has ended.
//@ launch parent<<<1, 1>>> buf:i32:zeros*1
__global__ void grandchild(int* x) {
    *x += 1;  // expect-also: data-race
}
__global__ void child(int* x) {
    grandchild<<<1, 1, 0, cudaStreamFireAndForget>>>(x);
}
extern "C" __global__ void parent(int* x) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(x);
    *x = 5;  // expect: data-race
}
