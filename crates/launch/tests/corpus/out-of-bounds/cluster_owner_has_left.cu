// Nothing keeps a block until its neighbour has read its shared memory.
//@ launch turn<<<8, 32>>> buf:i32:uninit*8
// arch: 90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) turn(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned int next = (cluster.block_rank() + 1) % 4;
    if (threadIdx.x == 0)
        mine = blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *cluster.map_shared_rank(&mine, next); // expect: out-of-bounds
}
