// The barrier orders all readers before the writer.
// expect: clean
//@ launch next<<<1, 64>>> buf:i32:7 buf:i32:zeros*64
//@ expect 0 = i32:8
extern "C" __global__ void next(int* word, int* out) {
    unsigned t = threadIdx.x;
    out[t] = *word;
    __syncthreads();
    if (t == 0) *word += 1;
}
