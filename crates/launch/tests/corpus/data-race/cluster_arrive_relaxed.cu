// A relaxed arrival releases nothing.
//@ launch shift<<<4, 64>>> buf:i32:uninit*256
// arch: 90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) shift(int *out)
{
    __shared__ int given[64];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned t = threadIdx.x;
    given[t] = 0;
    cluster.sync();
    given[t] = blockIdx.x * 64 + t; // expect: data-race
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    const int *others = cluster.map_shared_rank(given, (cluster.block_rank() + 3) % 4);
    out[blockIdx.x * 64 + t] = others[63 - t]; // expect: data-race
    cluster.sync();
}
