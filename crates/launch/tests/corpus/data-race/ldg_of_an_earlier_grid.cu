// What a child reads by __ldg has been written by its parent, which is another grid.
// expect: clean
//@ launch parent<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
//@ expect 1 = i32:126,124,122,uninit*61
__global__ void child(const int* data, int* out) {
    out[threadIdx.x] = __ldg(&data[63 - threadIdx.x]);
}
extern "C" __global__ void parent(int* data, int* out) {
    data[threadIdx.x] *= 2;
    __syncthreads();
    if (threadIdx.x == 0) child<<<1, 64>>>(data, out);
}
