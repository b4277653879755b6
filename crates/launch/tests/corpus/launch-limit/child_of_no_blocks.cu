// Nothing is left to do, and a grid of no blocks is launched for it.
//@ launch parent<<<1, 1>>> buf:i32:zeros*32 i32:0
__global__ void child(int* out) {
    out[threadIdx.x] = 1;
}
extern "C" __global__ void parent(int* out, int blocks) {
    child<<<blocks, 32>>>(out);  // expect: launch-limit
}
