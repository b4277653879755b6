// The tail launch writes what the child wrote before: the child has ended by then.
// expect: clean
//@ launch parent<<<1, 1>>> buf:i32:zeros*1
//@ expect 0 = i32:8
__global__ void child(int* x) {
    *x = 7;
}
__global__ void after(int* x) {
    *x += 1;
}
extern "C" __global__ void parent(int* x) {
    after<<<1, 1, 0, cudaStreamTailLaunch>>>(x);
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(x);
}
