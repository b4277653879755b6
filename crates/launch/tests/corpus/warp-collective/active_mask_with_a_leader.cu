// Whoever is together adds in one step: the sum is the same, however the lanes come together.
// expect: clean
//@ launch count<<<2, 64>>> buf:i32:iota*256 buf:i32:zeros*1
//@ expect 1 = i32:86
extern "C" __global__ void count(const int* in, int* counter) {
    unsigned lane = threadIdx.x % 32;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < 256; i += 128) {
        if (in[i] % 3 != 0) continue;
        unsigned here = __activemask();
        unsigned leader = __ffs(here) - 1;
        int before = 0;
        if (lane == leader) before = atomicAdd(counter, __popc(here));
        before = __shfl_sync(here, before, leader);
        if (before < 0) __trap();
    }
}
