// Without a word from the host 2,048 launches may be pending.
//@ launch parent<<<33, 64>>> buf:i32:zeros*2112
__global__ void child(int* out) {
    *out = 1;
}
extern "C" __global__ void parent(int* out) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(out + i);  // expect: pending-launch-overflow "64"
}
