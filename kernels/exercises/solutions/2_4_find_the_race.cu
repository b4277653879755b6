// 2.4 Find the race
//
// This kernel reverses an array in place. It often works, but one `__syncthreads()` is missing. After which
// line does it belong? Write the number of that line below, and change nothing else.
//
//@ learn to find a race by asking who reads and who writes each element
//@ minutes 10
//@ race
//@ launch reverseInPlace<<<1, block>>> @data u32:n
//@ one-block
//@ slip line: `g_data[size - 1 - tid] = mine;` After the write it is too late: a thread may have overwritten
//@      a number that another one has not read yet.
//@ slip line: `mine = g_data[tid];` After the read is right, but this is still inside the `if`: a thread
//@      without a number would not reach the barrier.
//@ hint Two threads that access one element need a barrier between their accesses if one of them writes.
//@ hint Thread 0 writes the element that thread size - 1 reads. Is it certain that it has been read?
//@ hint Which element does thread t read, and which does it write?
//@ why Would a `__syncwarp()` be enough for an array of 32 numbers? And for 33?
//@ because For 32 it would: all of them belong to one warp, whose lanes it orders. With 33, thread 0 writes
//@      the element that thread 32 reads. That thread is in the next warp, and only a barrier of the whole
//@      block orders the two.
//@ mutant behind-the-write: wrong-line
//@ - // The answer: line 19;
//@ + // The answer: line 21;
//@ mutant before-the-read: wrong-line
//@ - // The answer: line 19;
//@ + // The answer: line 16;
//@ mutant in-the-if: wrong-line
//@ - // The answer: line 19;
//@ + // The answer: line 18;

//@ begin
// The answer: line 19;
//@ stub
//| // The answer: line ?;
//@ end

extern "C" __global__ void reverseInPlace(unsigned int *g_data, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int mine = 0;
    if (tid < size) {
        mine = g_data[tid];
    }
    //@ here __syncthreads();
    if (tid < size) {
        g_data[size - 1 - tid] = mine;
    }
}
