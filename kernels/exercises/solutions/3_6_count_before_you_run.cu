// 3.6 Count before you run
//
// One block of 256 threads runs this kernel on 256 numbers. It is `reduceNeighbored` mirrored: each sum is
// kept at the right end of its pair. Before anything runs, predict three of its counters: how often a warp
// arrives at the barrier, how often a branch sends the lanes of one warp two ways, and how often a warp loads
// from global memory (once for each load that any of its lanes makes). Write your numbers below, and change
// nothing else. The check says how far off they are.
//
//@ learn to read a kernel's cost off its source, warp by warp
//@ minutes 15
//@ launch sumToTheRight<<<1, block>>> @data @out u32:n
//@ one-block
//@ result out
//@ answer barrier arrivals: counter barriers n=256 block=256
//@ slip barrier arrivals: 8 There are 8 steps, and a barrier in each. It is counted for each warp that
//@      arrives.
//@ slip barrier arrivals: 2048 All 256 threads arrive 8 times. But the lanes of a warp arrive together and
//@      count once.
//@ slip barrier arrivals: 1 There is one barrier in the source. How often does a warp reach it, and how many
//@      warps are there?
//@ answer divergent branches: counter divergent_branches n=256 block=256
//@ slip divergent branches: 40 Right for the first five steps, in which all 8 warps diverge. In later steps
//@      some warps still do.
//@ slip divergent branches: 47 That is the loop alone. Another branch follows it.
//@ slip divergent branches: 6 That would be right if the working threads were adjacent. Which threads work
//@      here in the first step, and in which warps are they?
//@ slip divergent branches: 8 There are 8 steps, but each warp decides for itself.
//@ slip divergent branches: 64 All 8 warps diverge in the first steps. But a warp in which no lane works does
//@      not diverge, and in the last steps that is most of them.
//@ answer load requests: counter global_load_requests n=256 block=256
//@ slip load requests: 47 An addition loads two numbers: its own, and its partner's.
//@ slip load requests: 94 That is the loop alone. One more load follows it.
//@ slip load requests: 511 That counts numbers. The lanes of a warp load together, as one request.
//@ slip load requests: 510 That counts numbers. The lanes of a warp load together, as one request.
//@ hint 256 threads are 8 warps. How many steps does the loop have, for 256 numbers?
//@ hint In the first step the odd threads work, in the second threads 3, 7, 11, … In how many of the 8 warps
//@      does at least one thread work, in each step? A warp with both kinds of lanes diverges.
//@ hint A warp in which some lane works makes two load requests in that step: for the thread's own number,
//@      and for its partner's. And what comes after the loop?
//@ why In which steps would the numbers differ if the working threads were adjacent, as in
//@      `reduceNeighboredLess`?
//@ because In all but the last. With adjacent threads, 128 additions need 4 warps, none of which diverges, 64
//@      need 2, and from 32 additions on there is one. Here all 8 warps go through the `if` in the first five
//@      steps, then 4, 2 and 1. Barrier arrivals are the same: every warp reaches every barrier.
//@ mutant steps-and-additions: wrong-number
//@ - barrier arrivals 64;
//@ + barrier arrivals 8;
//@ - divergent branches 48;
//@ + divergent branches 40;
//@ - load requests 95;
//@ + load requests 511;
//@ mutant side-by-side: wrong-number
//@ - divergent branches 48;
//@ + divergent branches 6;
//@ mutant a-guess: wrong-number
//@ - load requests 95;
//@ + load requests 200;
//@ mutant two-of-three: wrong-number
//@ - load requests 95;
//@ + load requests ?;
//@ mutant an-easier-kernel: wrong-number
//@ - __syncthreads();
//@ + //
//@ mutant with-separators: passes
//@ - barrier arrivals 64;
//@ + barrier arrivals 0,064;

//@ begin
// The answer: barrier arrivals 64;
// The answer: divergent branches 48;
// The answer: load requests 95;
//@ stub
//| // The answer: barrier arrivals ?;
//| // The answer: divergent branches ?;
//| // The answer: load requests ?;
//@ end

extern "C" __global__ void sumToTheRight(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if ((tid + 1) % (2 * stride) == 0) {
            g_data[tid] += g_data[tid - stride];
        }
        __syncthreads();
    }
    if (tid == size - 1) {
        *g_odata = g_data[tid];
    }
}
