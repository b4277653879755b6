// The parent hands on a buffer that it has filled by half.
//@ launch parent<<<1, 1>>> buf:i32:uninit*32 buf:i32:zeros*32
__global__ void child(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x] + 1;  // expect: uninitialized-read
}
extern "C" __global__ void parent(int* scratch, int* out) {
    for (int i = 0; i < 16; i++) scratch[i] = i;
    child<<<1, 32>>>(scratch, out);
}
