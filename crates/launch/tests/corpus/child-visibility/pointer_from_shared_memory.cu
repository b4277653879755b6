// The pointer lies in shared memory. It points to global memory, and that is what counts.
// expect: clean
//@ launch parent<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
//@ expect 1 = i32:1,2,3,uninit*29
__global__ void child(const int* x, int* out) {
    out[threadIdx.x] = x[threadIdx.x] + 1;
}
extern "C" __global__ void parent(int* in, int* out) {
    __shared__ int* pointer;
    if (threadIdx.x == 0) pointer = in;
    __syncthreads();
    if (threadIdx.x == 31) child<<<1, 32>>>(pointer, out);
}
