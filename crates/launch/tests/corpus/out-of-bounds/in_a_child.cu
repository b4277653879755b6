// The parent passes on the wrong number of elements.
//@ launch parent<<<1, 1>>> buf:i32:zeros*20
__global__ void child(int* out) {
    out[threadIdx.x] = 1;  // expect: out-of-bounds
}
extern "C" __global__ void parent(int* out) {
    child<<<1, 32>>>(out);
}
