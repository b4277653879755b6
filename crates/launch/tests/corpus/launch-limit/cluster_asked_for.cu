// The launch asks for clusters, and the kernel finds out.
//@ launch ranks<<<8, 32>>> cluster=8 buf:u32:uninit*8
// arch: 90
// expect: clean
//@ expect 0 = u32:8,9,10,11,12,13,14,15
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void ranks(unsigned *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        out[blockIdx.x] = cluster.num_blocks() + cluster.block_rank();
}
