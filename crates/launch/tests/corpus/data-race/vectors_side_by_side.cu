// Each thread has its pair.
// expect: clean
//@ launch pairs<<<1, 32>>> buf:i32:zeros*64
//@ expect 0 = i32:0,0,1,1,2,2,uninit*58
extern "C" __global__ void pairs(int2* out) {
    unsigned t = threadIdx.x;
    out[t] = make_int2(t, t);
}
