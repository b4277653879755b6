// With the mask of the eight.
// expect: clean
//@ launch some<<<1, 32>>> buf:i32:zeros*32
//@ expect 0 = i32:7,6,5,4,3,2,1,0,0,uninit*23
extern "C" __global__ void some(int* out) {
    __shared__ int s[8];
    unsigned t = threadIdx.x;
    if (t < 8) {
        s[t] = t;
        __syncwarp(0x000000ff);
        out[t] = s[7 - t];
    }
}
