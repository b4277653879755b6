// A structure with padding goes through a function that is called. What nobody has written in it is padding.
// expect: clean
//@ launch mark<<<1, 32>>> buf:i32:iota*32 buf:i32:zeros*32
//@ expect 1 = i32:0,2,4,6,uninit*28
struct Item {
    char kind;
    int value;
};
__device__ __noinline__ Item doubled(Item item) {
    item.value *= 2;
    return item;
}
extern "C" __global__ void mark(const int* in, int* out) {
    Item item;
    item.kind = 1;
    item.value = in[threadIdx.x];
    out[threadIdx.x] = doubled(item).value;
}
