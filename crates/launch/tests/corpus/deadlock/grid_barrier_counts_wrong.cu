// A grid barrier by hand that waits for one block more than there is.
//@ launch swap<<<4, 32>>> buf:u32:zeros*1 buf:i32:zeros*128
// cooperative
extern "C" __global__ void swap(unsigned* arrived, int* out) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) <= gridDim.x) {}  // expect: deadlock
    }
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = 1;
}
