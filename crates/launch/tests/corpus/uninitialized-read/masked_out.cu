// Nothing depends on the element that nobody has written: it is masked out, or multiplied by 0.
// expect: clean
//@ launch mask<<<1, 32>>> buf:i32:iota*32 buf:i32:uninit*32
//@ expect 1 = i32:0,0,2,8,12,uninit*27
extern "C" __global__ void mask(const int* in, int* out) {
    __shared__ int s[33];
    int t = threadIdx.x;
    s[t + 1] = in[t];
    __syncwarp();
    out[t] = (s[t] & in[t]) + s[t] * in[t];
}
