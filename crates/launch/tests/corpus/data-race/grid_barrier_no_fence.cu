// All blocks have arrived, but their writes need not have.
//@ launch swap<<<4, 32>>> buf:i32:zeros*128 buf:u32:zeros*1 buf:i32:zeros*128
// cooperative
extern "C" __global__ void swap(int* data, unsigned* arrived, int* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    data[i] = i;  // expect-also: data-race
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) {}
    }
    __syncthreads();
    out[i] = data[(i + 32) % 128];  // expect: data-race
}
