// A buffer that is only written needs no contents.
// expect: clean
//@ launch fill<<<1, 32>>> buf:i32:uninit*32
//@ expect 0 = i32:0,1,2,3,uninit*28
extern "C" __global__ void fill(int* out) {
    out[threadIdx.x] = threadIdx.x;
}
