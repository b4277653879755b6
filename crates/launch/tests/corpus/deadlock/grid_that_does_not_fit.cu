// A grid barrier by hand, for more blocks than a GPU has room for: two of 1,024 threads per multiprocessor.
//@ launch swap<<<265, 1024>>> buf:u32:zeros*1 buf:i32:zeros*265
extern "C" __global__ void __launch_bounds__(1024) swap(unsigned* arrived, int* out) {
    if (threadIdx.x != 0) return;
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {}  // expect: deadlock "264"
    out[blockIdx.x] = 1;
}
