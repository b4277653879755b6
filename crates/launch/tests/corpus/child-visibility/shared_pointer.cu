// Shared memory belongs to its block.
//@ launch parent<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
__global__ void child(const int* x, int* out) {
    out[threadIdx.x] = x[threadIdx.x];  // expect-also: child-visibility, out-of-bounds, uninitialized-read
}
extern "C" __global__ void parent(const int* in, int* out) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    const int* pointer = s;
    asm volatile("" : "+l"(pointer)::"memory");  // nvcc refuses what it can see through
    if (threadIdx.x == 0) child<<<1, 32>>>(pointer, out);  // expect: child-visibility
}
