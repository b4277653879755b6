// A long way past the end, where an allocation may well lie.
//@ launch read<<<1, 1>>> buf:i32:zeros*1024 buf:i32:zeros*1048576 i64:100000
extern "C" __global__ void read(const int* a, int* b, long long i) {
    b[0] = a[i];  // expect: out-of-bounds
}
