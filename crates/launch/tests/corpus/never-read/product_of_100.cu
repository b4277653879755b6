// A product of 100 factors by a tree, in two blocks: 25 become 12, and one is lost in each block.
//@ launch product<<<2, 100>>> buf:f32:1*200 buf:f32:0*2
extern "C" __global__ void product(const float *in, float *out)
{
    __shared__ float all[100];
    int t = threadIdx.x;
    all[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int i = blockDim.x / 2; i > 0; i >>= 1) {
        if (t < i)
            all[t] = all[t] * all[t + i];  // expect: never-read "24"
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = all[0];
}
