// CUB's merge sort reads elements behind the end of its parts; a comparison of indices decides.
// expect: clean
//@ launch sort<<<1, 64>>> buf:i32:iota*256
//@ expect 0 = i32:0,0,0,1,1,2,2,uninit*249
#include <cub/block/block_merge_sort.cuh>
struct Less {
    __device__ bool operator()(int a, int b) const { return a < b; }
};
extern "C" __global__ void sort(int* data) {
    using Sort = cub::BlockMergeSort<int, 64, 4>;
    __shared__ typename Sort::TempStorage storage;
    int mine[4];
    for (int i = 0; i < 4; i++) mine[i] = data[threadIdx.x * 4 + i] * 37 % 101;
    Sort(storage).Sort(mine, Less());
    for (int i = 0; i < 4; i++) data[threadIdx.x * 4 + i] = mine[i];
}
