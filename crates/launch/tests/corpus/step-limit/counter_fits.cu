// An unsigned short is.
// expect: clean
//@ launch fill<<<1, 1>>> buf:i32:zeros*300 i32:300
//@ expect 0 = i32:1,1,1,uninit*297
extern "C" __global__ void fill(int* out, int n) {
    for (unsigned short i = 0; i < n; i++) atomicAdd(&out[i], 1);
}
