// A child is complete when all that it launched is, its tail too. Then the parent's own tail reads.
// expect: clean
//@ launch parent<<<1, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 1 = i32:7
__global__ void write(int* x) {
    *x = 7;
}
__global__ void child(int* x) {
    write<<<1, 1, 0, cudaStreamTailLaunch>>>(x);
}
__global__ void read(const int* x, int* out) {
    *out = *x;
}
extern "C" __global__ void parent(int* x, int* out) {
    read<<<1, 1, 0, cudaStreamTailLaunch>>>(x, out);
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(x);
}
