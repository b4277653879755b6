// The condition is the same for all blocks of a cluster, and another one for the next cluster.
//@ launch turn<<<8, 32>>> buf:i32:uninit*8
// arch: 90
// expect: clean
//@ expect 0 = i32:0,1,2,3,5,6,7,4
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) turn(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    int number = blockIdx.x;
    if (threadIdx.x == 0)
        mine = number;
    if (blockIdx.x / 4 == 1) {
        cluster.sync();
        if (threadIdx.x == 0)
            number = *cluster.map_shared_rank(&mine, (cluster.block_rank() + 1) % 4);
        cluster.sync();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = number;
}
