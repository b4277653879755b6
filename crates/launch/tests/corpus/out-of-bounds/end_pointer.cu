// A pointer one past the end may be made and compared, if nobody follows it.
// expect: clean
//@ launch sum<<<1, 1>>> buf:i32:iota*100 i32:100 buf:i32:zeros*1
//@ expect 2 = i32:4950
extern "C" __global__ void sum(const int* in, int n, int* out) {
    int total = 0;
    for (const int *p = in, *end = in + n; p != end; p++) total += *p;
    *out = total;
}
