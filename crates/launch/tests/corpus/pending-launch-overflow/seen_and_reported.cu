// The kernel asks after each launch and says so. The work is missing all the same.
// pending-launches: 10
//@ launch parent<<<1, 16>>> buf:i32:zeros*16 buf:i32:zeros*1
__global__ void child(int* out) {
    *out = 1;
}
extern "C" __global__ void parent(int* out, int* failed) {
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(out + threadIdx.x);  // expect: pending-launch-overflow "6"
    if (cudaGetLastError() != cudaSuccess) atomicAdd(failed, 1);
}
