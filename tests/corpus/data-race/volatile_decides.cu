// Whether the block writes depends on who comes first.
// missed: in global memory a decision alone may be a hint (`stop_hint`); only values handed on are found
// launch: look<<<2, 1>>> buf:i32:zeros*1 buf:i32:zeros*1
extern "C" __global__ void look(volatile int* data, int* out) {
    if (blockIdx.x == 0) *data = 42;
    else if (*data == 42) *out = 1;  // expect: data-race
}
