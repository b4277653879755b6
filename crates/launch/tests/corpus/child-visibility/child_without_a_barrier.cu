// The child sees what the launching thread could see; the other threads' writes are not among it.
//@ launch parent<<<1, 64>>> buf:i32:zeros*64 buf:i32:zeros*64
__global__ void child(const int* x, int* out) {
    out[threadIdx.x] = x[63 - threadIdx.x];  // expect: child-visibility|data-race
}
extern "C" __global__ void parent(int* x, int* out) {
    unsigned t = threadIdx.x;
    x[t] = t;  // expect-also: child-visibility, data-race
    if (t == 0) child<<<1, 64>>>(x, out);
}
