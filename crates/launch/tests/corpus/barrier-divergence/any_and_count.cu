// The barriers that vote and count, each reached by everybody.
// expect: clean
//@ launch votes<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*3
//@ expect 1 = i32:1,0,58
extern "C" __global__ void votes(const int* in, int* out) {
    unsigned t = threadIdx.x;
    int any = __syncthreads_or(in[t] == 40) != 0;
    int all = __syncthreads_and(in[t] > 0) != 0;
    int many = __syncthreads_count(in[t] > 5);
    if (t == 0) {
        out[0] = any;
        out[1] = all;
        out[2] = many;
    }
}
