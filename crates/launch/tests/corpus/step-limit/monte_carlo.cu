// Millions of instructions before any thread has ended, and no new memory: a long run, which ends.
// expect: clean
//@ launch pi<<<2, 64>>> buf:i32:0 i32:60000
//@ expect 0 = i32:6032092
extern "C" __global__ void pi(unsigned* hits, int points) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1, in = 0;
    for (int i = 0; i < points; i++) {
        x = x * 1664525u + 1013904223u;
        float u = (x >> 8) * 0x1p-24f;
        x = x * 1664525u + 1013904223u;
        float v = (x >> 8) * 0x1p-24f;
        in += u * u + v * v < 1;
    }
    atomicAdd(hits, in);
}
