// In y a grid has at most 65,535 blocks.
//@ launch parent<<<1, 1>>> buf:i32:zeros*1 i32:70000
__global__ void child(int* out) {
    atomicAdd(out, 1);
}
extern "C" __global__ void parent(int* out, int rows) {
    child<<<dim3(1, rows), 1>>>(out);  // expect: launch-limit
}
