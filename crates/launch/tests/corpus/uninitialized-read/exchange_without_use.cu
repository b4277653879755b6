// An exchange overwrites what nobody has written, and nobody looks at what was there.
// expect: clean
//@ launch fill<<<1, 32>>> buf:i32:uninit*32
//@ expect 0 = i32:7,7,7,uninit*29
extern "C" __global__ void fill(int* out) { atomicExch(&out[threadIdx.x], 7); }
