// 40 KiB declared and 10 KiB at the launch are too much together.
//@ launch parent<<<1, 1>>> buf:i32:zeros*32 i32:10240
__global__ void child(int* out, int from) {
    __shared__ int big[10240];
    extern __shared__ int s[];
    big[threadIdx.x * 320] = from;
    s[threadIdx.x] = 1;
    out[threadIdx.x] = s[threadIdx.x] + big[threadIdx.x * 320];
}
extern "C" __global__ void parent(int* out, int bytes) {
    child<<<1, 32, bytes>>>(out, 5);  // expect: launch-limit
}
