// Lanes that have exited are not waited for, named or not (PTX ISA, "vote.sync": all non-exited threads).
// expect: clean
//@ launch vote<<<1, 32>>> buf:i32:iota*32 i32:20 buf:u32:zeros*20
//@ expect 2 = u32:1048560,1048560,uninit*18
extern "C" __global__ void vote(const int* in, int n, unsigned* out) {
    int t = threadIdx.x;
    if (t >= n) return;
    out[t] = __ballot_sync(0xffffffff, in[t] > 3);
}
