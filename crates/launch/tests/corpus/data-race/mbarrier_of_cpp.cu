// cuda::barrier waits for the copies of cuda::memcpy_async and for all threads.
// expect: clean
// arch: 90
//@ launch rotate<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*64
//@ expect 1 = i32:1,2,3,4,uninit*60
#include <cuda/barrier>
extern "C" __global__ void rotate(const int* in, int* out) {
    __shared__ int s[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    unsigned t = threadIdx.x;
    if (t == 0) init(&barrier, 64);
    __syncthreads();
    cuda::memcpy_async(&s[t], &in[t], sizeof(int), barrier);
    barrier.arrive_and_wait();
    out[t] = s[(t + 1) % 64];
}
