// 48 of 48.
// expect: clean
// pending-launches: 48
//@ launch parent<<<48, 1>>> buf:i32:zeros*48
//@ expect 0 = i32:1,1,1,uninit*45
__global__ void child(int* out) {
    *out = 1;
}
extern "C" __global__ void parent(int* out) {
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(out + blockIdx.x);
}
