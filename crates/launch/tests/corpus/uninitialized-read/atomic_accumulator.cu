// The same with an atomic, which reads and writes.
//@ launch add<<<1, 32>>> buf:i32:iota*32 buf:i32:uninit*1
extern "C" __global__ void add(const int* in, int* sum) {
    atomicAdd(sum, in[threadIdx.x]);  // expect: uninitialized-read
}
