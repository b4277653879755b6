// The guard for the end of the data also guards shared memory, of which all threads read.
//@ launch reverse<<<2, 64>>> buf:i32:iota*100 buf:i32:uninit*128 i32:100
extern "C" __global__ void reverse(const int *in, int *out, int n)
{
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[63 - threadIdx.x];  // expect: uninitialized-read
}
