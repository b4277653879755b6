// Each block reads and writes its own chunk; all of them read the same coefficients.
// expect: clean
//@ launch scale<<<2, 32>>> buf:i32:iota*64 buf:i32:3,1
//@ expect 0 = i32:1,4,7,10,uninit*60
extern "C" __global__ void scale(int* data, const int* line) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    data[i] = line[0] * data[i] + line[1];
}
