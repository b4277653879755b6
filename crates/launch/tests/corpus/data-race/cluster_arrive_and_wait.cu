// The barrier of a cluster in two halves, with work on the own block's memory between them.
//@ launch shift<<<4, 64>>> buf:i32:uninit*256
// arch: 90
// expect: clean
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) shift(int *out)
{
    __shared__ int given[64];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned t = threadIdx.x, own = 0;
    given[t] = blockIdx.x * 64 + t;
    auto arrived = cluster.barrier_arrive();
    for (int i = 0; i < 8; i++)
        own += given[t] * i;
    cluster.barrier_wait(static_cast<decltype(arrived) &&>(arrived));
    const int *others = cluster.map_shared_rank(given, (cluster.block_rank() + 3) % 4);
    out[blockIdx.x * 64 + t] = own + others[63 - t];
    cluster.sync();
}
