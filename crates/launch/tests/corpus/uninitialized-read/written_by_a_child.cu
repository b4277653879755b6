// A child writes what the tail launch reads.
// expect: clean
//@ launch parent<<<1, 1>>> buf:i32:uninit*32 buf:i32:zeros*32
//@ expect 1 = i32:1,2,3,uninit*29
__global__ void fill(int* x) {
    x[threadIdx.x] = threadIdx.x + 1;
}
__global__ void copy(const int* x, int* out) {
    out[threadIdx.x] = x[threadIdx.x];
}
extern "C" __global__ void parent(int* scratch, int* out) {
    fill<<<1, 32, 0, cudaStreamFireAndForget>>>(scratch);
    copy<<<1, 32, 0, cudaStreamTailLaunch>>>(scratch, out);
}
