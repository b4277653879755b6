// The same with plain additions.
//@ launch total<<<8, 32>>> buf:i32:uninit*2
// arch: 90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) total(int *out)
{
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        sum = 0;
    cluster.sync();
    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&sum, 0) += blockIdx.x; // expect: data-race
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0)
        out[blockIdx.x / 4] = sum;
}
