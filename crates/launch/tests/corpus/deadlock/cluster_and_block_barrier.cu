// Half of each block waits for the cluster, the other half for the block.
//@ launch cross<<<4, 64>>> buf:i32:uninit*4
// arch: 90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) cross(int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 32)
        cluster.sync(); // expect: deadlock  expect-also: barrier-divergence
    else
        __syncthreads(); // expect-also: barrier-divergence
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
}
