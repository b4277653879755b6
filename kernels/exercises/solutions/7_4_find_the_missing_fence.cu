// 7.4 Find the missing fence
//
// One launch, finished by the block that takes the last ticket. The sum is usually right, but one
// `__threadfence()` is missing: another block may see a ticket before the partial sum that belongs to it.
// After which line does the fence belong? Write the number of that line below, and change nothing else.
//
//@ learn why the writer and the reader of a flag each need a fence
//@ minutes 10
//@ race
//@ launch reduceOnce<<<n/block, block>>> @input @partials @out @ticket
//@ result out
//@ blocks 32
//@ sizes 32 1024
//@ slip line: `last = atomicAdd(ticket, 1) == gridDim.x - 1;` After the ticket it is too late: whoever sees
//@      the ticket may not see the partial sum yet.
//@ slip line: `__threadfence();` There is one already. It is the reader's.
//@ hint A fence between two accesses of one thread makes other threads see the first before the second.
//@ hint Which two writes to global memory does thread 0 make, and in which order must the last block see
//@      them?
//@ hint The fence that is already there is the reader's. The writer has none.
//@ think wrong-line: What must the last block be able to see once it has seen all tickets taken?
//@ why Two fences look symmetrical. What goes wrong without the writer's, and what without the reader's?
//@ because Without the writer's, its ticket may become visible before its partial sum: the last block reads
//@      an old value. Without the reader's, the last block may have loaded partial sums before it took its
//@      ticket. The writer's fence orders two writes, the reader's orders a read before the reads that depend
//@      on it.
//@ mutant behind-the-ticket: wrong-line
//@ - // The answer: line 24;
//@ + // The answer: line 25;
//@ mutant behind-the-other-fence: wrong-line
//@ - // The answer: line 24;
//@ + // The answer: line 26;
//@ mutant where-it-is-computed: wrong-line
//@ - // The answer: line 24;
//@ + // The answer: line 22;

//@ begin
// The answer: line 24;
//@ stub
//| // The answer: line ?;
//@ end

// Blocks of one warp; each takes 32 numbers.
extern "C" __global__ void reduceOnce(const unsigned int *g_idata, unsigned int *partials,
                                      unsigned int *g_odata, unsigned int *ticket)
{
    bool last = false;
    unsigned int sum = g_idata[blockIdx.x * 32 + threadIdx.x];
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
        unsigned int all = 0;
        for (unsigned int k = 0; k < gridDim.x; k++) {
            all += partials[k];
        }
        *g_odata = all;
    }
}
