// Tail launches wait for the parent, so all of them are pending at once.
// pending-launches: 20
//@ launch parent<<<1, 32>>> buf:i32:zeros*32
__global__ void child(int* out) {
    *out = 1;
}
extern "C" __global__ void parent(int* out) {
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(out + threadIdx.x);  // expect: pending-launch-overflow "12"
}
