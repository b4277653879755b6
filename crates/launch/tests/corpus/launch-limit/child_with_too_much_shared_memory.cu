// A device launch gives a block at most 48 KiB.
//@ launch parent<<<1, 1>>> buf:i32:zeros*32 i32:50000
__global__ void child(int* out) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void parent(int* out, int bytes) {
    child<<<1, 32, bytes>>>(out);  // expect: launch-limit
}
