// The store releases, the load acquires: no fence is needed.
// expect: clean
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 2 = i32:42
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int seen = 0;
        while (seen == 0)
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        *out = *data;
    }
}
