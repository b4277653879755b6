// A barrier between the atomics and the plain read, and between the reset and the atomics.
// expect: clean
//@ launch count<<<1, 64>>> buf:i32:5 buf:i32:zeros*1
//@ expect 1 = i32:64
extern "C" __global__ void count(int* counter, int* out) {
    if (threadIdx.x == 0) *counter = 0;
    __syncthreads();
    atomicAdd(counter, 1);
    __syncthreads();
    if (threadIdx.x == 0) *out = *counter;
}
