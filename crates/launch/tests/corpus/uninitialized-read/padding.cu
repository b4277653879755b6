// A structure is copied whole, with the three bytes between its members that belong to neither.
// expect: clean
//@ launch copy<<<1, 8>>> buf:u8:uninit*64 buf:u8:uninit*64 buf:i32:zeros*8
//@ expect 2 = i32:10,21,32,43,54,65,76,87
struct alignas(8) Entry {
    char tag;
    int value;
};
extern "C" __global__ void copy(Entry* from, Entry* to, int* out) {
    unsigned t = threadIdx.x;
    from[t].tag = t;
    from[t].value = 10 * (t + 1);
    __syncwarp();
    *(long long*)(to + t) = *(volatile long long*)(from + t);
    __syncwarp();
    out[t] = to[t].value + to[t].tag;
}
