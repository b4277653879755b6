// Four elements are loaded at once. Only the first has been written, and only it is used.
// expect: clean
//@ launch first<<<1, 8>>> buf:i32:uninit*32 buf:i32:zeros*8
//@ expect 1 = i32:0,5,10,15,20,25,30,35
extern "C" __global__ void first(int4* scratch, int* out) {
    unsigned t = threadIdx.x;
    scratch[t].x = 5 * t;
    __syncwarp();
    asm volatile(
        "{ .reg .s32 y, z, w; ld.global.v4.s32 {%0, y, z, w}, [%1]; }"
        : "=r"(out[t])
        : "l"(scratch + t)
        : "memory");
}
