// Four of eight elements are set, the last one is used.
//@ launch pick<<<1, 1>>> i32:4 i32:7 buf:i32:zeros*1
extern "C" __global__ void pick(int n, int which, int* out) {
    int values[8];
    for (int i = 0; i < n; i++) values[i] = 3 * i;
    *out = values[which];  // expect: uninitialized-read
}
