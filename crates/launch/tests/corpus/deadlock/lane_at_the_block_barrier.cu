// Lane 0 waits for the block, the other lanes of its warp wait for lane 0.
//@ launch wait<<<1, 32>>> buf:i32:zeros*32
extern "C" __global__ void wait(int* out) {
    unsigned t = threadIdx.x;
    if (t == 0) {
        __syncthreads();  // expect: deadlock|barrier-divergence  expect-also: warp-collective
    } else {
        __syncwarp();  // expect-also: deadlock, warp-collective
    }
    out[t] = 1;
}
