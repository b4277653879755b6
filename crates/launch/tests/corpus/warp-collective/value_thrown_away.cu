// The last warp has 4 lanes. Those whose partner is missing take a value all the same, and throw it away.
// expect: clean
//@ launch largest<<<1, 36>>> buf:i32:iota*36 buf:i32:zeros*2
//@ expect 1 = i32:31,35
extern "C" __global__ void largest(const int* in, int* out) {
    unsigned t = threadIdx.x, lane = t % 32, lanes = min(32u, blockDim.x - t / 32 * 32);
    unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;
    int mine = in[t];
    for (int half = 16; half > 0; half /= 2) {
        int other = __shfl_down_sync(mask, mine, half);
        if (lane + half < lanes) mine = max(mine, other);
    }
    if (lane == 0) out[t / 32] = mine;
}
