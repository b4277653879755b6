// The half that nobody has written is the one that is used.
//@ launch halves<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
extern "C" __global__ void halves(const int* in, int* out) {
    long long low;
    asm("{ .reg .b32 nobody; mov.b64 %0, {%1, nobody}; }" : "=l"(low) : "r"(in[threadIdx.x]));
    out[threadIdx.x] = (int)(low >> 31);  // expect: uninitialized-read
}
