// Two kernels that are to give the same, one element of which differs.
__global__ void twice(const float *in, float *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x];
}

__global__ void added(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x] + (threadIdx.x == 5 ? 1 : in[threadIdx.x]);
}
//@ buffer in = f32 2x3:iota
//@ buffer a  = f32 2x3
//@ buffer b  = f32 2x3
//@ launch twice<<<1, 6>>> @in @a
//@ launch added<<<1, 6>>> @in @b
//@ expect b = @a within 10
//@ expect b = @a
