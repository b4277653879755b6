// 3.7 Choose a block size
//
// You are to launch chapter 3's `reduceInterleaved`, below, for 2^24 numbers on an H200. A multiprocessor there holds
// up to 2,048 threads, in up to 32 blocks. First reason: which is the smallest block size with which blocks can fill a
// multiprocessor? Then look at the record, whose times the check shows: which size is the fastest, and which is the
// largest that takes at most 15 % longer? (Larger blocks leave fewer partial sums for the host.) Write your numbers
// below, and change nothing else.
//
//@ learn to choose a block size by the limits of the device first, and by a record then
//@ minutes 10
//@ launch reduceInterleaved(data, partials, n) grid=n/block
//@ answer the smallest that fills: given 64
//@ slip the smallest that fills: 32 32 blocks of 32 threads are 1,024, and a multiprocessor has room for 2,048.
//@ slip the smallest that fills: 2048 A block has at most 1,024 threads, and a multiprocessor takes more than one.
//@ slip the smallest that fills: 1024 Two blocks of 1,024 do fill it, but smaller ones do, too.
//@ slip the smallest that fills: 128 16 blocks of 128 do fill it, but smaller ones do, too.
//@ slip the smallest that fills: 512 4 blocks of 512 do fill it, but smaller ones do, too.
//@ slip the smallest that fills: 256 8 blocks of 256 do fill it, but smaller ones do, too.
//@ answer the fastest: fastest ch3_blocks reduceInterleaved n=16777216
//@ answer the largest within 15 %: largest-within 15 ch3_blocks reduceInterleaved n=16777216
//@ hint At most 32 blocks are on a multiprocessor at once. How many threads must each have, for 2,048 in all?
//@ hint Run the check: it shows the times that the answers are about.
//@ hint 15 % longer than 100 µs is 115 µs.
//@ think wrong-number: What does the table say of the next smaller size, and of the next larger one?
//@ why Blocks of 64, of 512 and of 1,024 threads all fill a multiprocessor. Why are 64 and 1,024 slower than what
//@      lies between?
//@ because Small blocks end soon, and a multiprocessor starts new ones only so fast; and each leaves a partial sum.
//@      In large blocks the tree has more steps, and at each barrier more warps wait for the slowest, while only one
//@      other block is there to do something meanwhile. A full multiprocessor is necessary, and no more than that.
//@ mutant the-smallest-there-is: wrong-number
//@ - that fills 64;
//@ + that fills 32;
//@ mutant as-the-example: wrong-number
//@ - fastest 128;
//@ + fastest 512;
//@ mutant a-size-without-a-time: wrong-number
//@ - fastest 128;
//@ + fastest 100;
//@ mutant the-largest-of-all: wrong-number
//@ - within 15 % 256;
//@ + within 15 % 1024;
//@ mutant the-fastest-again: wrong-number
//@ - within 15 % 256;
//@ + within 15 % 128;

//@ begin
// The answer: the smallest that fills 64;
// The answer: the fastest 128;
// The answer: the largest within 15 % 256;
//@ stub
//| // The answer: the smallest that fills ?;
//| // The answer: the fastest ?;
//| // The answer: the largest within 15 % ?;
//@ end

extern "C" __global__ void reduceInterleaved(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            idata[tid] += idata[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? idata[0] : 0;
    }
}
