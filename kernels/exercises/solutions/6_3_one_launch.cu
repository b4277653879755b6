// 6.3 One launch
//
// The second launch only waits for the last block of the first. Let that block do its work: every block
// leaves its partial sum, then takes a ticket from a counter in global memory. The last block to arrive knows
// that all others have left theirs, and adds them up. Here block 0 adds them up, without waiting for any
// other.
//
//@ learn how the last block to arrive finishes the work in the same launch
//@ minutes 25
//@ race
//@ launch reduceOnce<<<n/block, block>>> @input @partials @out @ticket u32:n
//@ result out
//@ hint `atomicAdd(ticket, 1)` returns the ticket: 0 for the first block, `gridDim.x - 1` for the last. One
//@      thread of the block takes it.
//@ hint A `__threadfence()` comes before the ticket: without it other blocks may see the ticket before the
//@      partial sum. Another comes after it, so that the partial sums are read after the ticket.
//@ hint All threads of the last block add up partial sums. They learn from thread 0, through shared memory
//@      and a barrier, that theirs is the last.
//@ think other-block: How does the block that adds up know that the others have left their partial sums?
//@ think miscounted: Do all threads of the last block learn that it is the last? How often is each partial
//@      sum added?
//@ think atomics: How many threads of a block have to take a ticket?
//@ why Why is it the last block that adds up, and not block 0 after waiting for the others?
//@ because Block 0 would have to wait, asking for the ticket again and again, and hold its place on the GPU
//@      while others need one. CUDA does not even promise that a block gets to run while another one waits
//@      for it. The last block to arrive has nobody to wait for.
//@ mutant no-fence: data-race
//@ - __threadfence(); // the partial sum before the ticket
//@ + // nothing
//@ mutant volatile-without-fences: data-race
//@ - reduceOnce(const unsigned int *g_idata, unsigned int *partials
//@ + reduceOnce(const unsigned int *g_idata, volatile unsigned int *partials
//@ - __threadfence(); // the partial sum before the ticket
//@ + // nothing
//@ - __threadfence(); // the ticket before the partial sums of the others
//@ + // nothing
//@ mutant no-barrier-behind-the-flag: data-race
//@ - __syncthreads(); // all threads know
//@ + // nothing
//@ mutant nobody-is-last: nothing-written
//@ - == gridDim.x - 1
//@ + == gridDim.x
//@ mutant the-last-but-one: data-race
//@ - == gridDim.x - 1
//@ + + 2 >= gridDim.x
//@ mutant a-ticket-without-atomic: data-race
//@ - atomicAdd(ticket, 1)
//@ + (*ticket)++
//@ mutant thread-0-alone: one-thread
//@ - unsigned int k = tid; k < gridDim.x; k += blockDim.x
//@ + unsigned int k = 0; tid == 0 && k < gridDim.x; k++
//@ mutant every-number-an-atomic: atomics
//@ = extern "C" __global__ void reduceOnce(const unsigned int *g_idata, unsigned int *partials,
//@ =                                       unsigned int *g_odata, unsigned int *ticket, unsigned int size)
//@ = {
//@ =     __shared__ unsigned int sum;
//@ =     __shared__ bool last;
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (threadIdx.x == 0) {
//@ =         sum = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     if (i < size) {
//@ =         atomicAdd(&sum, g_idata[i]);
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         partials[blockIdx.x] = sum;
//@ =         __threadfence();
//@ =         last = atomicAdd(ticket, 1) == gridDim.x - 1;
//@ =         __threadfence();
//@ =         sum = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     if (last) {
//@ =         for (unsigned int k = threadIdx.x; k < gridDim.x; k += blockDim.x) {
//@ =             atomicAdd(&sum, partials[k]);
//@ =         }
//@ =         __syncthreads();
//@ =         if (threadIdx.x == 0) {
//@ =             *g_odata = sum;
//@ =         }
//@ =     }
//@ = }
//@ mutant without-the-readers-fence: passes
//@ - __threadfence(); // the ticket before the partial sums of the others
//@ + // nothing
//@ mutant every-thread-draws: nothing-written
//@ - if (tid == 0) { // one ticket per block
//@ + if (tid <= 1) {

// The sum of `mine` over all threads of the block.
static __device__ unsigned int blockSum(unsigned int mine)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    __syncthreads(); // the tile may still be in use
    tile[tid] = mine;
    __syncthreads();
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }
    return tile[0];
}

extern "C" __global__ void reduceOnce(const unsigned int *g_idata, unsigned int *partials,
                                      unsigned int *g_odata, unsigned int *ticket,
                                      unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    unsigned int sum = blockSum(i < size ? g_idata[i] : 0);
    //@ begin
    __shared__ bool last;
    if (tid == 0) { // one ticket per block
        partials[blockIdx.x] = sum;
        __threadfence(); // the partial sum before the ticket
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        __threadfence(); // the ticket before the partial sums of the others
    }
    __syncthreads(); // all threads know
    if (last) {
    //@ stub
    //| if (tid == 0) {
    //|     partials[blockIdx.x] = sum;
    //| }
    //| __syncthreads();
    //| if (blockIdx.x == 0) {
    //@ end
        unsigned int all = 0;
        for (unsigned int k = tid; k < gridDim.x; k += blockDim.x) {
            all += partials[k];
        }
        all = blockSum(all);
        if (tid == 0) {
            *g_odata = all;
        }
    }
}
