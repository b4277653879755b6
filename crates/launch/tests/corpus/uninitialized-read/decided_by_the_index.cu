// The last lane reads one element too many, and the index alone decides what it does.
// expect: clean
//@ launch next<<<1, 32>>> buf:i32:iota*32 buf:i32:uninit*32 i32:32
//@ expect 1 = i32:0,1,2,3,4,18,21,uninit*25
extern "C" __global__ void next(const int* in, int* out, int n) {
    __shared__ int s[33];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    int next = s[t + 1];
    if (t + 1 < n && next > 5) out[t] = next * 3; else out[t] = in[t];
}
