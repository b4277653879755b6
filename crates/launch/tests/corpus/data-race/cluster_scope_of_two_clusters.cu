// The same at the same scope, but the reader is in another cluster.
//@ launch pass<<<4, 32>>> buf:i32:0 buf:i32:0
// arch: 90
__device__ int flag;

static __device__ void set(int *flag)
{
    asm volatile("st.release.cluster.global.s32 [%0], 1;" ::"l"(flag) : "memory"); // expect-also: data-race
}

static __device__ int get(int *flag)
{
    int value;
    asm volatile("ld.acquire.cluster.global.s32 %0, [%1];" // expect-also: data-race
                 : "=r"(value)
                 : "l"(flag)
                 : "memory");
    return value;
}

extern "C" __global__ void __cluster_dims__(2) pass(int *data, int *out)
{
    if (threadIdx.x > 0)
        return;
    if (blockIdx.x == 0) {
        *data = 7; // expect: data-race
        set(&flag); // expect-also: data-race
    } else if (blockIdx.x == 2) {
        while (get(&flag) == 0) { // expect-also: data-race
        }
        *out = *data; // expect: data-race
    }
}
