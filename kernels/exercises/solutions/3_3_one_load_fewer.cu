// 3.3 One load fewer
//
// In every step a thread loads two numbers and stores their sum. It stored its own number itself, one step
// before: let it keep that number in a register, and load only the partner's. Other threads must still find
// every sum in memory.
//
//@ learn how a register saves the load of what the thread itself has just stored
//@ minutes 15
//@ launch reduceInterleaved(data, partials, n) grid=n/block
//@ goal global_load_requests <= 28 n=512 block=512
//@ hint `int sum` before the loop: what does it hold for thread t, and what if t has no element?
//@ hint In the loop: `sum += …` with one load, then store `sum`, so that other threads see it.
//@ hint More loads than the goal? A thread that never adds needs no number of its own: which threads add in
//@      the first step?
//@ hint At the end thread 0 has the result in its register. It needs no load, not even in an empty block.
//@ mutant loads-both: goal
//@ - sum += idata[tid + half];
//@ + sum = ((volatile int *)idata)[tid] + idata[tid + half];
//@ mutant all-threads-load: goal
//@ - tid < (count + 1) / 2 ? idata[tid] : 0
//@ + tid < count ? idata[tid] : 0
//@ mutant does-not-store: wrong-result
//@ - idata[tid] = sum;
//@ + // nothing
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant loads-beyond-the-end: out-of-bounds
//@ - tid < (count + 1) / 2 ? idata[tid] : 0
//@ + idata[tid]

extern "C" __global__ void reduceInterleaved(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    int *idata = g_idata + first;
    //@ begin
    int sum = tid < (count + 1) / 2 ? idata[tid] : 0;
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            sum += idata[tid + half];
            idata[tid] = sum;
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = sum;
    }
    //@ stub
    //| for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
    //|     unsigned int half = (length + 1) / 2;
    //|     if (tid + half < length) {
    //|         idata[tid] += idata[tid + half];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    //| }
    //@ end
}
