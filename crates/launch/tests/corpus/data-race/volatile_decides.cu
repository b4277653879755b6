// Whether the block writes depends on who comes first.
//@ launch look<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void look(volatile int* data, int* out) {
    if (blockIdx.x == 0) *data = 42;
    else if (*data == 42) *out = 1;  // expect: data-race  expect-also: order-dependent
}
