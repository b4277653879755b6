// All lanes load and shuffle; only those whose value somebody has written store it.
// expect: clean
//@ launch next<<<1, 32>>> buf:i32:uninit*32 buf:i32:zeros*32
//@ expect 1 = i32:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0,0,uninit*15
extern "C" __global__ void next(int* scratch, int* out) {
    unsigned t = threadIdx.x;
    if (t < 16) scratch[t] = t;
    __syncwarp();
    int value = scratch[t];
    int other = __shfl_down_sync(0xffffffff, value, 1);
    if (t < 15) out[t] = other;
}
