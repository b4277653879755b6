// 6.3 One launch
//
// The second launch only waits for the last block of the first. Let that block do its work: every block
// leaves its partial sum, then takes a ticket from a counter in global memory. The last block to arrive knows
// that all others have left theirs, and adds them up. Here block 0 does it, without waiting for any other.
//
//@ learn how the last block to arrive finishes the work in the same launch
//@ minutes 25
//@ launch reduceOnce(input, partials, out, ticket, n) grid=n/block
//@ result out
//@ hint `atomicAdd(ticket, 1)` returns the ticket: 0 for the first block, `gridDim.x - 1` for the last. One
//@      thread of the block takes it.
//@ hint A `__threadfence()` comes before the ticket: without it other blocks may see the ticket before the
//@      partial sum. Another comes after it, so that the partial sums are read after the ticket.
//@ hint All threads of the last block add up partial sums. They learn from thread 0, through shared memory
//@      and a barrier, that theirs is the last.
//@ think data-race: How does the block that adds up know that the others have left their partial sums?
//@ mutant no-fence: data-race
//@ - __threadfence(); // the partial sum before the ticket
//@ + // nothing
//@ mutant no-barrier-behind-the-flag: data-race
//@ - __syncthreads(); // all threads know
//@ + // nothing
//@ mutant nobody-is-last: wrong-result
//@ - == gridDim.x - 1
//@ + == gridDim.x
//@ mutant the-last-but-one: data-race
//@ - == gridDim.x - 1
//@ + + 2 >= gridDim.x
//@ mutant a-ticket-without-atomic: data-race
//@ - atomicAdd(ticket, 1)
//@ + (*ticket)++
//@ mutant every-thread-draws: wrong-result
//@ - if (tid == 0) { // one ticket per block
//@ + if (tid <= 1) {

// The sum of `mine` over all threads of the block.
static __device__ int blockSum(int mine)
{
    __shared__ int tile[1024];
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

extern "C" __global__ void reduceOnce(const int *g_idata, int *partials, int *g_odata, int *ticket,
                                      unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    int sum = blockSum(i < size ? g_idata[i] : 0);
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
        int all = 0;
        for (unsigned int k = tid; k < gridDim.x; k += blockDim.x) {
            all += partials[k];
        }
        all = blockSum(all);
        if (tid == 0) {
            *g_odata = all;
        }
    }
}
