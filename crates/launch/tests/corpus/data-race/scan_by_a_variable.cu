// All have read when the first one writes, and all have written when the next step begins.
// expect: clean
//@ launch scan<<<1, 8>>> buf:i32:iota*8
//@ expect 0 = i32:0,1,3,6,10,15,21,28
extern "C" __global__ void scan(int* data) {
    unsigned t = threadIdx.x;
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        int before = t >= step ? data[t - step] : 0;
        __syncthreads();
        data[t] += before;
        __syncthreads();
    }
}
