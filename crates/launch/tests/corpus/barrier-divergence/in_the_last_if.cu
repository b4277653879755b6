// A barrier in an `if` that ends the kernel: PTX does not tell it from an early return, so it is a note.
// expect: clean
//@ launch half<<<1, 32>>> buf:i32:iota*32
//@ expect 0 = i32:15,14,13,uninit*29
extern "C" __global__ void half(int* data) {
    int t = threadIdx.x;
    if (t < 16) {
        int other = data[15 - t];
        __syncthreads();
        data[t] = other;
    }
}
