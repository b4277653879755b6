// 3.2 No divergence before 32
//
// In `reduceNeighbored` the working threads are `2 * stride` apart, so every warp diverges in each of the
// first five steps. Keep the additions, but give them to other threads: those with the smallest indices. Then
// no warp diverges while 32 or more threads have work.
//
//@ learn to give the work to the threads with the smallest indices, so that whole warps are idle
//@ minutes 15
//@ launch reduceNeighboredLess(data, partials, n) grid=n/block
//@ goal divergent_branches <= 6 n=512 block=512
//@ hint In step `stride` the elements that receive a sum are 0, 2*stride, 4*stride … Which of them is the
//@      t-th?
//@ hint Thread t takes element `2 * stride * t`. The guard checks that element, no longer t.
//@ hint With 512 threads, whole warps work until fewer than 32 threads do: five steps diverge. The sixth
//@      divergent branch is the `if (tid == 0)` at the end.
//@ mutant as-before: goal
//@ - unsigned int index = 2 * stride * tid;
//@ + unsigned int index = tid % (2 * stride) == 0 ? tid : count;
//@ mutant guard-off-by-one: out-of-bounds
//@ - index + stride < count
//@ + index + stride <= count
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant stride-apart: data-race
//@ - 2 * stride * tid
//@ + stride * tid

extern "C" __global__ void reduceNeighboredLess(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    int *idata = g_idata + first;
    for (unsigned int stride = 1; stride < count; stride *= 2) {
        //@ begin
        unsigned int index = 2 * stride * tid;
        if (index + stride < count) {
            idata[index] += idata[index + stride];
        }
        //@ stub
        //| if (tid % (2 * stride) == 0 && tid + stride < count) {
        //|     idata[tid] += idata[tid + stride];
        //| }
        //@ end
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
