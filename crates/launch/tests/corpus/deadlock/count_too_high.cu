// The barrier waits for 96 threads; the block has 64.
//@ launch wait<<<1, 64>>> buf:i32:zeros*64
extern "C" __global__ void wait(int* out) {
    asm volatile("bar.sync 1, 96;" ::: "memory");  // expect: deadlock
    out[threadIdx.x] = 1;
}
