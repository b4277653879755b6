// The parent asks before it launches.
// expect: clean
//@ launch parent<<<1, 1>>> buf:i32:zeros*32 i32:0
//@ expect 0 = i32:0,0,uninit*30
__global__ void child(int* out) {
    out[threadIdx.x] = 1;
}
extern "C" __global__ void parent(int* out, int blocks) {
    if (blocks > 0) child<<<blocks, 32>>>(out);
}
