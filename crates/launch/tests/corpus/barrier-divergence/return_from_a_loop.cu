// Warps that are done return from the middle of the loop. Those that are left meet without them.
// expect: clean
//@ launch rounds<<<1, 128>>> buf:i32:zeros*128
//@ expect 0 = i32:1,1,1,uninit*125
extern "C" __global__ void rounds(int* out) {
    unsigned t = threadIdx.x;
    for (unsigned round = 0;; round++) {
        out[t] += 1;
        if (t / 32 == round) return;
        __syncthreads();
    }
}
