// A barrier for the whole grid by hand: block barrier, fence, count, wait, fence, block barrier.
// expect: clean
//@ launch swap<<<4, 32>>> buf:i32:zeros*128 buf:u32:zeros*1 buf:i32:zeros*128
// cooperative
//@ expect 2 = i32:32,33,34,35,uninit*124
extern "C" __global__ void swap(int* data, unsigned* arrived, int* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    data[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    out[i] = data[(i + 32) % 128];
}
