// The barrier separates the steps. Within one, a thread overwrites what its neighbour reads.
//@ launch scan<<<1, 64>>> buf:i32:iota*64
extern "C" __global__ void scan(int* data) {
    unsigned t = threadIdx.x;
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (t >= step) data[t] += data[t - step];  // expect: data-race
        __syncthreads();
    }
}
