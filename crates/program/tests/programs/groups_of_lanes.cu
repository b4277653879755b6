// Groups of lanes: tiles of tiles, those that took a branch, partitions, and what is computed over them.
// prints: tiles: 6 1 8, 1240 31
// prints: branch: 11 13 55, 21 4
// prints: partitions: 16 1 2, 7 4 5
// prints: scans: 15 10, 9 0.5
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>

namespace cg = cooperative_groups;

struct Best {
    float value;
    int at;
};

__global__ void tiles(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto four = cg::tiled_partition<4>(warp);
    cg::thread_block_tile<4> any = four;
    int sum = cg::reduce(warp, (int)threadIdx.x, cg::plus<int>());
    Best best = {float(threadIdx.x * 7 % 32), (int)threadIdx.x};
    best = cg::reduce(warp, best, [](Best a, Best b) { return a.value > b.value ? a : b; });
    if (threadIdx.x == 57) {
        out[0] = any.meta_group_rank();
        out[1] = four.thread_rank();
        out[2] = any.meta_group_size();
        out[3] = sum - 280;
        out[4] = best.value;
    }
}

__global__ void branch(int *out)
{
    if (threadIdx.x % 3 == 1) {
        auto here = cg::coalesced_threads();
        int last = here.shfl((int)threadIdx.x, here.size() - 1);
        int sum = cg::reduce(here, (int)here.thread_rank(), cg::plus<int>());
        unsigned int low = here.ballot(threadIdx.x < 12);
        int above = here.shfl_down((int)threadIdx.x, 2);
        auto part = cg::tiled_partition(here, 4);
        int least = cg::reduce(part, (int)threadIdx.x, cg::less<int>());
        cg::sync(here);
        if (threadIdx.x == 19) {
            out[0] = here.size();
            out[1] = last - least - 5;
            out[2] = sum;
            out[3] = above - 4;
            out[4] = low - 11;
        }
    }
}

__global__ void partitions(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto odd = cg::binary_partition(warp, threadIdx.x % 2 != 0);
    auto same = cg::labeled_partition(warp, threadIdx.x * threadIdx.x % 5);
    if (threadIdx.x == 31) {
        out[0] = odd.size();
        out[1] = odd.meta_group_rank();
        out[2] = odd.meta_group_size();
        out[3] = cg::group_size(same) - 6;
        out[4] = same.thread_rank() - 8;
        out[5] = same.meta_group_size() + 2;
    }
}

__global__ void scans(int *out, float *least)
{
    auto five = cg::tiled_partition<8>(cg::this_thread_block());
    int to = cg::inclusive_scan(five, (int)five.thread_rank());
    int before = cg::exclusive_scan(five, (int)five.thread_rank());
    int greatest = cg::inclusive_scan(five, threadIdx.x == 9 ? 9 : 3, cg::greater<int>());
    float small = cg::reduce(five, 0.5f + threadIdx.x, cg::less<float>());
    if (threadIdx.x == 13) {
        out[0] = to;
        out[1] = before;
        out[2] = greatest;
    }
    if (threadIdx.x == 5) {
        *least = small;
    }
}

int main()
{
    int *out;
    float *least;
    cudaMallocManaged(&out, 8 * sizeof(int));
    cudaMallocManaged(&least, sizeof(float));
    tiles<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("tiles: %d %d %d, %d %d\n", out[0], out[1], out[2], out[3], out[4]);
    branch<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("branch: %d %d %d, %d %d\n", out[0], out[1], out[2], out[3], out[4]);
    partitions<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("partitions: %d %d %d, %d %d %d\n", out[0], out[1], out[2], out[3], out[4], out[5]);
    scans<<<1, 32>>>(out, least);
    cudaDeviceSynchronize();
    printf("scans: %d %d, %d %g\n", out[0], out[1], out[2], *least);
    cudaFree(out);
    cudaFree(least);
}
