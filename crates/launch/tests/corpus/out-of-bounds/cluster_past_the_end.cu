// Past the end of an array in another block's shared memory.
//@ launch shift<<<4, 32>>> buf:i32:uninit*128
// arch: 90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) shift(int *out)
{
    __shared__ int given[32];
    __shared__ int next[32];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned t = threadIdx.x;
    given[t] = t;
    next[t] = -1;
    cluster.sync();
    const int *others = cluster.map_shared_rank(given, (cluster.block_rank() + 1) % 4);
    out[blockIdx.x * 32 + t] = others[t + 1] + next[t]; // expect: out-of-bounds
    cluster.sync();
}
