// The compiler leaves a gap where alignment asks for one.
// expect: clean
//@ launch sum<<<1, 4>>> buf:u64:1,10,2,20,3,30,4,40 buf:i64:zeros*4
//@ expect 1 = i64:11,22,33,44
struct Entry {
    int key;
    long long value;
};
extern "C" __global__ void sum(const Entry* in, long long* out) {
    unsigned t = threadIdx.x;
    out[t] = in[t].key + in[t].value;
}
