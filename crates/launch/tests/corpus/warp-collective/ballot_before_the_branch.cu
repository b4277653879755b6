// All lanes vote who will come; those that come use the result as their mask.
// expect: clean
//@ launch large<<<1, 32>>> buf:i32:iota*32 buf:u32:zeros*32
//@ expect 1 = u32:1227132928,0,0,1227132928,uninit*28
extern "C" __global__ void large(const int* in, unsigned* out) {
    unsigned t = threadIdx.x, votes = 0;
    bool mine = in[t] % 3 == 0;
    unsigned who = __ballot_sync(0xffffffff, mine);
    if (mine) votes = __ballot_sync(who, in[t] > 10);
    out[t] = votes;
}
