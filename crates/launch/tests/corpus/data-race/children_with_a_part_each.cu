// Children side by side, each with its own element.
// expect: clean
//@ launch parent<<<4, 1>>> buf:i32:zeros*4
//@ expect 0 = i32:1,2,3,4
__global__ void child(int* x, int value) {
    *x = value;
}
extern "C" __global__ void parent(int* x) {
    child<<<1, 1>>>(x + blockIdx.x, blockIdx.x + 1);
}
