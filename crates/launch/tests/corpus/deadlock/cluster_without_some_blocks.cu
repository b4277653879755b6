// The last blocks of the cluster have nothing to do and return: the barrier does not wait for them.
//@ launch part<<<4, 32>>> buf:i32:uninit*4 i32:3
// arch: 90
// expect: clean
//@ expect 0 = i32:1,2,0,uninit*1
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) part(int *out, int blocks)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    if (blockIdx.x >= blocks)
        return;
    if (threadIdx.x == 0)
        mine = blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *cluster.map_shared_rank(&mine, (cluster.block_rank() + 1) % blocks);
    cluster.sync();
}
