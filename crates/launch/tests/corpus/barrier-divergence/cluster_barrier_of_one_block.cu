// One block of the cluster comes to a barrier that the others go past.
//@ launch turn<<<4, 32>>> buf:i32:zeros*4
// arch: 90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) turn(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        mine = blockIdx.x;
    cluster.sync();
    if (cluster.block_rank() == 0) {
        if (threadIdx.x == 0)
            mine = 5; // expect-also: data-race
        cluster.sync(); // expect: barrier-divergence
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] += *cluster.map_shared_rank(&mine, 0); // expect-also: data-race, out-of-bounds
    cluster.sync();
}
