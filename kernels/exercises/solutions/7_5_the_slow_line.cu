// 7.5 The slow line
//
// In this kernel each thread adds up 64 adjacent numbers, and then the block makes its tree. It is slow. For
// each line `ncu` has counted how many samples found a warp about to execute it, what most of those warps
// waited for, how many requests to global memory the line made, and how many sectors each of them asked for.
// The check shows these counts. Which line makes the warps wait? Write its number below; change nothing else.
//
//@ learn to tell the line at which warps wait from the line that makes them wait
//@ minutes 10
//@ page Looking inside with ncu
//@ launch reducePieces<<<n/(64*block), block>>> @input @partials u32:n
//@ profile
//@ answer line: line
//@ slip line: `sum += number;` Most samples are there, for this line needs the number. The wait is for a
//@      number that another line has asked for.
//@ slip line: `tile[tid] += tile[tid + half];` The tree has few of the samples.
//@ slip line: `__syncthreads();` The block waits here for its slowest warp, and not for long: the line and
//@      what follows it have few samples.
//@ slip line: `unsigned int first = (blockIdx.x * blockDim.x + tid) * 64;` Close. This line decides where a
//@      thread's piece begins. Which line goes to memory, and how many sectors does it ask for each time?
//@ slip line: `for (unsigned int k = 0; k < 64; k++) {` The loop itself is not slow. What does it do in each
//@      round?
//@ hint A sample shows where a warp stands, and it stands at the first instruction whose input has not
//@      arrived yet.
//@ hint 32 adjacent numbers of 4 bytes lie in 4 sectors. How many sectors does each request here ask for?
//@ hint Which elements do the 32 lanes of a warp load in one round of the loop? How far apart are they?
//@ think wrong-line: Where do the warps wait, for what, and which line has asked for it?
//@ why Each thread reads its 64 numbers one after the other, which is what a CPU does best. Why is it slow
//@      here?
//@ because A warp's load is one request for 32 numbers. In each round they are 64 numbers apart, so they lie
//@      in 32 sectors, and only 4 bytes of each are used. If thread t takes the numbers t, t + blockDim.x, …
//@      of its block's piece, a request asks for 4 sectors and uses all of them. On a GPU, adjacent numbers
//@      belong to neighbouring threads, not to one thread's next round.
//@ mutant where-they-wait: wrong-line
//@ - line 22;
//@ + line 23;
//@ mutant where-the-piece-begins: wrong-line
//@ - line 22;
//@ + line 19;
//@ mutant the-barrier: wrong-line
//@ - line 22;
//@ + line 27;
//@ mutant the-tree: wrong-line
//@ - line 22;
//@ + line 30;
//@ mutant the-end: wrong-line
//@ - line 22;
//@ + line 34;

//@ begin
// The answer: line 22;
//@ stub
//| // The answer: line ?;
//@ end

extern "C" __global__ void reducePieces(const unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    __shared__ unsigned int tile[1024];
    unsigned int tid = threadIdx.x;
    unsigned int first = (blockIdx.x * blockDim.x + tid) * 64;
    unsigned int sum = 0;
    for (unsigned int k = 0; k < 64; k++) {
        unsigned int number = first + k < size ? g_idata[first + k] : 0;
        //@ this
        sum += number;
    }
    tile[tid] = sum;
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        __syncthreads();
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = tile[0];
    }
}
