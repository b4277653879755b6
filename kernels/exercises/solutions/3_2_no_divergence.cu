// 3.2 No divergence before 32
//
// In each step of this tree a thread adds up to three neighbours to its own number. The working threads are
// `4 * stride` apart, so a warp diverges as long as any of its lanes works. Keep the additions, but give them
// to the threads with the smallest indices: then no warp diverges while 32 or more threads have work.
//
//@ learn to give the work to the threads with the smallest indices, so that whole warps are idle
//@ minutes 15
//@ launch reduceFours<<<n/block, block>>> @data @partials u32:n
//@ goal divergent_branches <= 16 n=512 block=512
//@ hint In step `stride` the elements that receive a sum are 0, 4*stride, 8*stride … Which of them is the
//@      t-th?
//@ hint Thread t takes element `4 * stride * t`, and adds those that lie one, two and three strides further
//@      on.
//@ hint The guard now checks the element, not the thread. Threads whose element lies beyond the end add
//@      nothing.
//@ why At 512 threads some divergent branches are left. In which steps, and why can no choice of threads
//@      avoid them?
//@ because Once fewer than 32 threads have work, they share a warp with threads that have none. Only the
//@      earlier steps, with whole warps of work, can do without divergence.
//@ mutant as-before: goal
//@ - unsigned int index = 4 * stride * tid;
//@ + unsigned int index = tid % (4 * stride) == 0 ? tid : count;
//@ mutant guard-off-by-one: out-of-bounds
//@ - k < count
//@ + k <= count
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant stride-apart: data-race
//@ - unsigned int index = 4 * stride * tid;
//@ + unsigned int index = stride * tid;
//@ mutant two-of-three: wrong-result
//@ - k < index + 4 * stride
//@ + k < index + 3 * stride
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceFours(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int first = blockIdx.x * blockDim.x;
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = first; i < size && i < first + blockDim.x; i++) {
//@ =             sum += g_idata[i];
//@ =         }
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = extern "C" __global__ void reduceFours(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (threadIdx.x == 0) {
//@ =         g_odata[blockIdx.x] = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     if (i < size) {
//@ =         atomicAdd(&g_odata[blockIdx.x], g_idata[i]);
//@ =     }
//@ = }
//@ mutant warp-0-alone: one-thread
//@ - unsigned int index = 4 * stride * tid;
//@ + for (unsigned int index = tid < 32 ? 4 * stride * tid : count; index < count; index += 128 * stride)
//@ mutant three-guards: passes
//@ - for (unsigned int k = index + stride; k < count && k < index + 4 * stride; k += stride) {
//@ + if (index + stride < count) idata[index] += idata[index + stride];
//@ + if (index + 2 * stride < count) idata[index] += idata[index + 2 * stride];
//@ + if (index + 3 * stride < count) { unsigned int k = index + 3 * stride;

extern "C" __global__ void reduceFours(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    for (unsigned int stride = 1; stride < count; stride *= 4) {
        //@ begin
        unsigned int index = 4 * stride * tid;
        for (unsigned int k = index + stride; k < count && k < index + 4 * stride; k += stride) {
            idata[index] += idata[k];
        }
        //@ stub
        //| if (tid % (4 * stride) == 0) {
        //|     for (unsigned int k = tid + stride; k < count && k < tid + 4 * stride; k += stride) {
        //|         idata[tid] += idata[k];
        //|     }
        //| }
        //@ end
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
