// Several threads store the same value. It works, and it is a data race all the same: two plain writes to one
// place that nothing orders.
//@ launch any<<<1, 64>>> buf:i32:iota*64 buf:i32:zeros*1
extern "C" __global__ void any(const int* in, int* found) {
    if (in[threadIdx.x] > 40) *found = 1;  // expect: data-race
}
