// `<=` where `<` is meant.
//@ launch sum<<<1, 1>>> buf:i32:iota*100 i32:100 buf:i32:zeros*1
extern "C" __global__ void sum(const int* in, int n, int* out) {
    int total = 0;
    for (int i = 0; i <= n; i++) total += in[i];  // expect: out-of-bounds
    *out = total;
}
