// Nothing depends on the element that nobody has written: it is masked out, or multiplied by 0.
// expect: clean
// launch: mask<<<1, 32>>> buf:i32:iota*32 buf:i32:uninit*32
// result: arg1 = 0,0,2,4,6
extern "C" __global__ void mask(const int* in, int* out) {
    __shared__ int s[33];
    int t = threadIdx.x;
    s[t + 1] = in[t];
    __syncwarp();
    int weight = in[t] > 0;
    out[t] = (s[t] & -weight) + s[t] * weight;
}
