// As many blocks as there is room for at the same time.
// expect: clean
//@ launch swap<<<264, 1024>>> buf:u32:zeros*1 buf:i32:uninit*264
// cooperative
extern "C" __global__ void __launch_bounds__(1024) swap(unsigned* arrived, int* out) {
    if (threadIdx.x != 0) return;
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {}
    out[blockIdx.x] = 1;
}
