// A hint that there is no need to go on: only how soon a thread stops depends on it.
//@ launch search<<<4, 32>>> buf:i32:iota*128 buf:i32:zeros*1 i32:77
// expect: clean
//@ expect 1 = i32:1
extern "C" __global__ void search(const int* in, int* found, int key) {
    for (unsigned i = threadIdx.x; i < 128 && !*(volatile int*)found; i += 32) {
        if (in[i] == key) atomicExch(found, 1);
    }
}
