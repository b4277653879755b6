// Each block waits for the sum of the one before. The sum lies in the word that says that it is there,
// so no fence is needed.
//@ launch scan<<<8, 32>>> buf:i32:iota*256 buf:u64:zeros*8 buf:i32:uninit*256
// expect: clean
//@ expect 2 = i32:0,1,3,6,10,uninit*251
extern "C" __global__ void scan(const int* in, volatile unsigned long long* state, int* out) {
    unsigned t = threadIdx.x, block = blockIdx.x;
    int sum = in[block * 32 + t];
    for (unsigned step = 1; step < 32; step *= 2) {
        int more = __shfl_up_sync(0xffffffff, sum, step);
        if (t >= step) sum += more;
    }
    int all = __shfl_sync(0xffffffff, sum, 31), before = 0;
    if (t == 0) {
        state[block] = (block > 0 ? 1ull : 2ull) << 32 | (unsigned)all;
        for (int look = block - 1; look >= 0; look--) {
            unsigned long long word;
            do word = state[look];
            while (word >> 32 == 0);
            before += (int)word;
            if (word >> 32 == 2) break;
        }
        if (block > 0) state[block] = 2ull << 32 | (unsigned)(before + all);
    }
    out[block * 32 + t] = __shfl_sync(0xffffffff, before, 0) + sum;
}
