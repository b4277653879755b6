// Every element is written before it is read.
// expect: clean
//@ launch copy<<<1, 32>>> buf:i32:iota*16 buf:i32:zeros*32
//@ expect 1 = i32:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0,0,uninit*14
extern "C" __global__ void copy(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    if (t < 16) s[t] = in[t];
    __syncthreads();
    out[t] = s[t];
}
