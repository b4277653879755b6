// From one array into another.
// expect: clean
//@ launch smooth<<<2, 32>>> buf:i32:iota*66 buf:i32:zeros*66
//@ expect 1 = i32:0,3,6,9,uninit*62
extern "C" __global__ void smooth(const int* in, int* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x + 1;
    out[i] = in[i - 1] + in[i] + in[i + 1];
}
