// __syncthreads() orders one block. Blocks run in any order.
//@ launch swap<<<2, 32>>> buf:i32:zeros*64 buf:i32:zeros*64
extern "C" __global__ void swap(int* data, int* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    data[i] = i;  // expect-also: data-race
    __syncthreads();
    out[i] = data[(i + 32) % 64];  // expect: data-race
}
