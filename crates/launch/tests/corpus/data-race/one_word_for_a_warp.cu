// All lanes of one instruction store into one word: which of them stays is not said.
//@ launch last<<<1, 32>>> buf:i32:zeros*1
extern "C" __global__ void last(int* out) {
    *out = threadIdx.x;  // expect: data-race
}
