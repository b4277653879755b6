// A block has at most 1,024 threads. The launch fails, and only the launching thread could ask.
//@ launch parent<<<1, 1>>> buf:i32:zeros*2000 i32:2000
__global__ void child(int* out) {
    out[threadIdx.x] = 1;
}
extern "C" __global__ void parent(int* out, int threads) {
    child<<<1, threads>>>(out);  // expect: launch-limit
}
