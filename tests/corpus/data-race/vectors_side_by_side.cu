// Each thread has its pair.
// expect: clean
// launch: pairs<<<1, 32>>> buf:i32:zeros*64
// result: arg0 = 0,0,1,1,2,2
extern "C" __global__ void pairs(int2* out) {
    unsigned t = threadIdx.x;
    out[t] = make_int2(t, t);
}
