// The same with the barrier.
// expect: clean
//@ launch sums<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*1
//@ expect 1 = i32:6048
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void sums(const int* in, int* out) {
    using Reduce = cub::BlockReduce<int, 64>;
    __shared__ typename Reduce::TempStorage storage;
    int a = Reduce(storage).Sum(in[threadIdx.x]);
    __syncthreads();
    int b = Reduce(storage).Sum(in[threadIdx.x] * 2);
    if (threadIdx.x == 0) *out = a + b;
}
