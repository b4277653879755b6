// 1,024 threads and 48 KiB are possible.
// expect: clean
//@ launch parent<<<1, 1>>> buf:i32:zeros*1024 i32:1024 i32:49152
//@ expect 0 = i32:1,2,3,uninit*1021
__global__ void child(int* out) {
    extern __shared__ int s[];
    s[12287 - threadIdx.x] = threadIdx.x + 1;
    out[threadIdx.x] = s[12287 - threadIdx.x];
}
extern "C" __global__ void parent(int* out, int threads, int bytes) {
    child<<<1, threads, bytes>>>(out);
}
