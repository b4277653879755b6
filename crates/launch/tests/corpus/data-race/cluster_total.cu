// All blocks of a cluster add to one word of its first block.
//@ launch total<<<4,2, 64>>> buf:i32:uninit*2
// arch: 90
// expect: clean
//@ expect 0 = i32:49024,81792
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2, 2) total(int *out)
{
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0)
        sum = 0;
    cluster.sync();
    unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
    atomicAdd(cluster.map_shared_rank(&sum, 0), (int)(block * 64 + threadIdx.x));
    cluster.sync();
    if (rank == 0 && threadIdx.x == 0)
        out[blockIdx.x / 2] = sum;
}
