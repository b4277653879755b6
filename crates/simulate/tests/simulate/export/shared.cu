// Blocks of two dimensions, clusters, and more shared memory than a kernel gets without asking.
__global__ void ranks(unsigned *out)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    out[blockIdx.x] = rank;
}

__global__ void reversed(const int *in, int *out)
{
    extern __shared__ int tile[];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
    tile[10000 + t] = in[t];
    __syncthreads();
    out[t] = tile[10000 + blockDim.x * blockDim.y - 1 - t];
}
//@ buffer in  = i32:iota*64
//@ buffer out = i32:zeros*64
//@ buffer all = u32:uninit*8
//@ launch ranks<<<8, 1>>> cluster=4 @all
//@ launch reversed<<<1, (16,4), 41000>>> @in @out
//@ launch reversed<<<1, (16,4), 51200>>> @in @out
//@ expect all = u32:0,1,2,3,0,1,2,3
