// The nested kernel of chapter 4 as the posts have it: CUDA of 2020, whose device code could wait for a child grid.
//
// Kept to be read and run on the simulator; its port to today's CUDA is gpuRecursiveReduce in ch4_nested.cu. The names
// and the structure are the posts', and so are the mistakes. The kernel compiles as it stands, so nothing in it is
// repaired. One thing is added: extern "C", so that the PTX calls it by its name.
//
// No compiler of CUDA 13 accepts it for a GPU of compute capability 9.0 or newer. build.py made ch4_legacy.ptx, and
// says how.

// ANCHOR: gpuRecursiveReduce
extern "C" __global__ void gpuRecursiveReduce(int *g_idata, int *g_odata, const int iSize)
{
    unsigned int tid = threadIdx.x;
    int *idata = g_idata + blockIdx.x * blockDim.x;
    int *odata = g_odata + blockIdx.x;

    if (iSize == 2 && tid == 0) {
        g_odata[blockIdx.x] = idata[0] + idata[1];
        return;
    }
    int iStride = iSize >> 1;
    if (iStride > 1 && tid < iStride) {
        idata[tid] += idata[tid + iStride];
    }
    __syncthreads();
    if (tid == 0) {
        gpuRecursiveReduce<<<1, iStride>>>(idata, odata, iStride);
        cudaDeviceSynchronize();
    }
    __syncthreads();
}
// ANCHOR_END: gpuRecursiveReduce
