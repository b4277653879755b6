// The child has a local array of its own and hands its address to a function.
// expect: clean
//@ launch parent<<<1, 1>>> buf:i32:7 buf:i32:zeros*1
//@ expect 1 = i32:49
__device__ __noinline__ int pick(const int* values, int which) {
    return values[which];
}
__global__ void child(const int* in, int* out) {
    int squares[8];
    for (int i = 0; i < 8; i++) squares[i] = i * i;
    *out = pick(squares, *in);
}
extern "C" __global__ void parent(const int* in, int* out) {
    child<<<1, 1>>>(in, out);
}
