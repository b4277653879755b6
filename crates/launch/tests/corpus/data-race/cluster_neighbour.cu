// The blocks of a cluster leave a number each in shared memory and read their neighbour's, between two
// barriers of the cluster.
//@ launch turn<<<8, 32>>> buf:i32:uninit*8
// arch: 90
// expect: clean
//@ expect 0 = i32:1,2,3,0,5,6,7,4
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) turn(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        mine = blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *cluster.map_shared_rank(&mine, (cluster.block_rank() + 1) % 4);
    cluster.sync();
}
