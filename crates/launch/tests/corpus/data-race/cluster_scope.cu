// One block gives another of its cluster a number: a release and an acquire at the scope of the cluster.
//@ launch pass<<<4, 32>>> buf:i32:0 buf:i32:0
// arch: 90
// expect: clean
//@ expect 1 = i32:7
__device__ int flag;

static __device__ void set(int *flag)
{
    asm volatile("st.release.cluster.global.s32 [%0], 1;" ::"l"(flag) : "memory");
}

static __device__ int get(int *flag)
{
    int value;
    asm volatile("ld.acquire.cluster.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

extern "C" __global__ void __cluster_dims__(2) pass(int *data, int *out)
{
    if (threadIdx.x > 0)
        return;
    if (blockIdx.x == 0) {
        *data = 7;
        set(&flag);
    } else if (blockIdx.x == 1) {
        while (get(&flag) == 0) {
        }
        *out = *data;
    }
}
