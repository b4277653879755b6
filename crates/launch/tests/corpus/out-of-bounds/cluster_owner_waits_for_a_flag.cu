// A block stays until the others have said, by an atomic each, that they have read its shared memory.
//@ launch give<<<4, 32>>> buf:i32:uninit*4
// arch: 90
// expect: clean
//@ expect 0 = i32:0,5,5,5
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4) give(int *out)
{
    __shared__ int value;
    __shared__ unsigned readers;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        value = 5;
        readers = 0;
    }
    cluster.sync();
    if (threadIdx.x > 0)
        return;
    if (rank == 0) {
        while (atomicAdd(&readers, 0) < 3) {
        }
        __threadfence();
        out[0] = 0;
    } else {
        out[blockIdx.x] = *cluster.map_shared_rank(&value, 0);
        __threadfence();
        atomicAdd(cluster.map_shared_rank(&readers, 0), 1u);
    }
}
