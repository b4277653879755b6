// The vote is taken in a branch that some lanes do not enter; the mask says that all vote.
//@ launch large<<<1, 32>>> buf:i32:iota*32 buf:u32:zeros*32
extern "C" __global__ void large(const int* in, unsigned* out) {
    unsigned t = threadIdx.x, votes = 0;
    if (in[t] % 3 == 0) {
        votes = __ballot_sync(0xffffffff, in[t] > 10);  // expect: warp-collective
    }
    out[t] = votes;
}
