// Two reductions by CUB in the same storage, and no barrier between them.
//@ launch sums<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*1
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void sums(const int* in, int* out) {
    using Reduce = cub::BlockReduce<int, 64>;
    __shared__ typename Reduce::TempStorage storage;
    int a = Reduce(storage).Sum(in[threadIdx.x]);
    int b = Reduce(storage).Sum(in[threadIdx.x] * 2);  // expect: data-race
    if (threadIdx.x == 0) *out = a + b;
}
