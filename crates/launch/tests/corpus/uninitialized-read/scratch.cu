// A scratch buffer that the kernel writes before it reads.
// expect: clean
//@ launch turn<<<1, 64>>> buf:i32:iota*64 buf:i32:uninit*64 buf:i32:uninit*64
//@ expect 2 = i32:63,62,61,uninit*61
extern "C" __global__ void turn(const int* in, int* scratch, int* out) {
    unsigned t = threadIdx.x;
    scratch[t] = in[t];
    __syncthreads();
    out[t] = scratch[63 - t];
}
