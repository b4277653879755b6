// Names that the program would have given its own functions, and an expectation that is wrong.
#define CHECK(x) (x)
__device__ int h_in(int x)
{
    return CHECK(x);
}

__global__ void show(const int *in, int *differing)
{
    differing[threadIdx.x] = h_in(in[threadIdx.x]);
}
//@ buffer in    = i32:3,1,4
//@ buffer out.1 = i32:uninit*3
//@ launch show<<<1, 3>>> @in @out.1
//@ expect out.1 = i32:3,1,5
