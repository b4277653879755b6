// 4 x 4 x 64 threads are 1,024.
// expect: clean
//@ launch fill<<<2,2, 4,4,64>>> buf:i32:zeros*64
//@ expect 0 = i32:64,64,64,uninit*61
extern "C" __global__ void fill(int* out) {
    atomicAdd(&out[threadIdx.z], 1);
}
