// An unsigned char is never 300.
//@ launch fill<<<1, 1>>> buf:i32:zeros*256 i32:300
extern "C" __global__ void fill(int* out, int n) {
    for (unsigned char i = 0; i < n; i++) atomicAdd(&out[i], 1);  // expect: step-limit
}
