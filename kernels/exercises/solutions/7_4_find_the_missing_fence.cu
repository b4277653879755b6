// 7.4 Find the missing fence
//
// One launch, finished by the block that takes the last ticket. The sum is usually right, but one
// `__threadfence()` is missing: another block may see a ticket before the partial sum that belongs to it.
// After which line does the fence belong? Write the number of that line below, and change nothing else.
//
//@ learn why the writer and the reader of a flag each need a fence
//@ minutes 10
//@ launch reduceOnce(input, partials, out, ticket) grid=n/block
//@ result out
//@ blocks 32
//@ sizes 32 1024
//@ hint A fence between two accesses of one thread makes other threads see the first before the second.
//@ hint Which two writes to global memory does thread 0 make, and in which order must the last block see
//@      them?
//@ hint The fence that is already there is the reader's. The writer has none.
//@ mutant behind-the-ticket: wrong-line
//@ - // The answer: line 23;
//@ + // The answer: line 24;
//@ mutant behind-the-barrier: wrong-line
//@ - // The answer: line 23;
//@ + // The answer: line 26;
//@ mutant where-it-is-computed: wrong-line
//@ - // The answer: line 23;
//@ + // The answer: line 21;

//@ begin
// The answer: line 23;
//@ stub
//| // The answer: line 0;
//@ end

// Blocks of one warp; each takes 32 numbers.
extern "C" __global__ void reduceOnce(const int *g_idata, int *partials, int *g_odata, int *ticket)
{
    bool last = false;
    int sum = g_idata[blockIdx.x * 32 + threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        //@ here __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        __threadfence();
    }
    if (last) {
        int all = 0;
        for (unsigned int k = 0; k < gridDim.x; k++) {
            all += partials[k];
        }
        *g_odata = all;
    }
}
