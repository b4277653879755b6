// %% One sum per block
/** Adds up a block's numbers. */
extern "C" __global__ void blockSums(const float *in, float *out, unsigned n)
{
    __shared__ float partial[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride)
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = partial[0];
}
//@ buffer in   = f32:random*4096
//@ buffer sums = f32:uninit*16
//@ launch blockSums<<<16, 256>>> @in @sums i32:4096
//@ expect in   = f32:random*4096
// %% The sum of these
//@ buffer all = f32:uninit*1
//@ launch blockSums<<<1, 256>>> @sums @all i32:16
//@ expect all = f32:-87.4 within 1e-3
