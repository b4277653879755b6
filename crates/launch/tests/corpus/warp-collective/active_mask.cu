// One atomic for all lanes that are here: whoever they are, they name themselves.
// expect: clean
//@ launch count<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*1
//@ expect 1 = i32:11
extern "C" __global__ void count(const int* in, int* counter) {
    if (in[threadIdx.x] % 3 == 0) {
        unsigned here = __activemask();
        if (threadIdx.x % 32 == __ffs(here) - 1) atomicAdd(counter, __popc(here));
    }
}
