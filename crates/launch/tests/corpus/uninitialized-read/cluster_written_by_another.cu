// One block writes the number in the shared memory of all.
//@ launch turn<<<4, 32>>> buf:i32:uninit*4
// arch: 90
// expect: clean
//@ expect 0 = i32:10,11,12,13
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) turn(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync(); // all blocks have started
    if (threadIdx.x < 4 && cluster.block_rank() == 0)
        *cluster.map_shared_rank(&mine, threadIdx.x) = 10 + threadIdx.x;
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = mine;
}
