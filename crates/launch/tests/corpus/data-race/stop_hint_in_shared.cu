// One thread looks whether there is need to go on, and tells its block through shared memory.
//@ launch search<<<4, 64>>> buf:i32:iota*1024 buf:i32:zeros*1
// expect: clean
//@ expect 1 = i32:1
extern "C" __global__ void search(const int* in, int* found) {
    __shared__ int stop;
    for (unsigned first = blockIdx.x * 256; first < (blockIdx.x + 1) * 256; first += 64) {
        if (threadIdx.x == 0) stop = *(volatile int*)found;
        __syncthreads();
        if (stop) return;
        if (in[first + threadIdx.x] == 700) atomicExch(found, 1);
        __syncthreads();
    }
}
