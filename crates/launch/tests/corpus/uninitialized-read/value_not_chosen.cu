// The load is made for every thread, its value chosen only where there is one.
// expect: clean
//@ launch choose<<<1, 32>>> buf:i32:iota*32 buf:i32:uninit*32 buf:i32:zeros*32
//@ expect 2 = i32:0,1,2,3,4,5,6,7,107,108,uninit*22
extern "C" __global__ void choose(const int* in, int* scratch, int* out) {
    unsigned t = threadIdx.x;
    if (t >= 8) scratch[t] = in[t] + 99;
    __syncthreads();
    int loaded = *(volatile int*)&scratch[t];
    out[t] = t >= 8 ? loaded : in[t];
}
