// 64 blocks launch a child each; 48 launches may be pending.
// pending-launches: 48
//@ launch parent<<<64, 1>>> buf:i32:zeros*64
__global__ void child(int* out) {
    *out = 1;
}
extern "C" __global__ void parent(int* out) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(out + blockIdx.x);  // expect: pending-launch-overflow "16"
}
