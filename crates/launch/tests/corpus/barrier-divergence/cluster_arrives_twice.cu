// Two arrivals at the barrier of the cluster, and one wait.
//@ launch twice<<<4, 32>>> buf:i32:uninit*4
// arch: 90
extern "C" __global__ void __cluster_dims__(4) twice(int *out)
{
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); // expect: barrier-divergence
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
