// Eight bytes at an odd element of an array of the thread's own.
//@ launch pair<<<1, 1>>> i32:3 buf:i64:zeros*1
extern "C" __global__ void pair(int at, long long* out) {
    __align__(8) int words[8];
    for (int i = 0; i < 8; i++) words[(i + at) % 8] = i;
    *out = *(long long*)(words + at);  // expect: misaligned
}
