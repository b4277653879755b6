// Values of local and shared variables may be passed: they are copied.
// expect: clean
//@ launch parent<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*1
//@ expect 1 = i32:17
__global__ void child(int a, int b, int* out) {
    *out = a + b;
}
extern "C" __global__ void parent(const int* in, int* out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    int mine = in[t] + 3;
    if (t == 2) child<<<1, 1>>>(mine, s[12], out);
}
