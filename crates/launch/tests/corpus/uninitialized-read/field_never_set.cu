// Of a structure in shared memory only one member is set.
//@ launch fields<<<1, 8>>> buf:i32:iota*8 buf:i32:zeros*16
struct Entry {
    int key;
    int value;
};
extern "C" __global__ void fields(const int* in, int* out) {
    __shared__ Entry entries[8];
    unsigned t = threadIdx.x;
    entries[t].key = in[t];
    if (in[t] > 100) entries[t].value = 1;
    __syncthreads();
    out[2 * t] = entries[7 - t].key;
    out[2 * t + 1] = entries[7 - t].value;  // expect: uninitialized-read
}
