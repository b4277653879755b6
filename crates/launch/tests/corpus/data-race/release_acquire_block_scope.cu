// Released to the own block, read by another: the scopes must include both threads.
//@ launch pass<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void pass(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;                                                              // expect-also: data-race
        asm volatile("st.release.cta.global.s32 [%0], 1;" ::"l"(flag) : "memory");  // expect-also: data-race
    } else {
        int seen = 0;
        while (seen == 0)
            asm volatile("ld.acquire.cta.global.s32 %0, [%1];"  // expect-also: data-race
                         : "=r"(seen) : "l"(flag) : "memory");
        *out = *data;  // expect: data-race
    }
}
