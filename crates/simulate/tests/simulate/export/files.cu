// Elements that come from a file and go to one.
__global__ void doubled(const short *in, int *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x];
}
//@ buffer in  = i16:file=four.bin
//@ buffer out = i32:uninit*4
//@ launch <<<1, 4>>> @in @out
//@ expect out = i32:2,4,6,-8
//@ save out   = doubled.bin
