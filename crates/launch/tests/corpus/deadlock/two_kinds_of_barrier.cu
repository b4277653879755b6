// One warp waits for the block, the other at a barrier for both.
//@ launch wait<<<1, 64>>> buf:i32:zeros*64
extern "C" __global__ void wait(int* out) {
    unsigned t = threadIdx.x;
    if (t < 32) {
        __syncthreads();  // expect: deadlock|barrier-divergence
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");  // expect-also: deadlock, barrier-divergence
    }
    out[t] = 1;
}
