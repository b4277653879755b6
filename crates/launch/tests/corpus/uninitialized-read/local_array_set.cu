// One of the four that are set.
// expect: clean
//@ launch pick<<<1, 1>>> i32:4 i32:3 buf:i32:zeros*1
//@ expect 2 = i32:9
extern "C" __global__ void pick(int n, int which, int* out) {
    int values[8];
    for (int i = 0; i < n; i++) values[i] = 3 * i;
    *out = values[which];
}
