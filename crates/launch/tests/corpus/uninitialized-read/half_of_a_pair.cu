// A pair is packed of which one half has never been written, and only the other half is used: by a
// conversion, a shift, a mask, and carried upwards.
// expect: clean
//@ launch halves<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*128
//@ expect 1 = i32:7,7,7,7,8,9,uninit*122
extern "C" __global__ void halves(const int* in, int* out) {
    int x = in[threadIdx.x] + 7, *to = out + 4 * threadIdx.x;
    long long low, high;
    asm("{ .reg .b32 nobody; mov.b64 %0, {%1, nobody}; }" : "=l"(low) : "r"(x));
    asm("{ .reg .b32 nobody; mov.b64 %0, {nobody, %1}; }" : "=l"(high) : "r"(x));
    to[0] = (int)low;
    to[1] = threadIdx.x == 0 ? (int)(high >> 32) : (int)((unsigned long long)high >> 32) + 1;
    to[2] = threadIdx.x == 0 ? (int)(low & 0xffffffff) : 1;
    to[3] = (int)(low * 3 + 5) - 2 * x - 5;
}
