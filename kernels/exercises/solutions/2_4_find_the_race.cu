// 2.4 Find the race
//
// This kernel turns an array around, in place. It often gives the right array, and it is wrong: one `__syncthreads()`
// is missing. Behind which line does it belong? Write the number of that line below, and change nothing else.
//
//@ launch turnAround(data, n) grid=1
//@ one-block
//@ hint A barrier is needed between two accesses to one element by two threads, if one of them writes.
//@ hint Thread 0 writes the place that thread size - 1 has read. Is it sure that it has been read?
//@ hint There are three accesses to an array. Say for each which element thread t touches.
//@ mutant behind-the-write: wrong-line
//@ - // The answer: line 17;
//@ + // The answer: line 19;
//@ mutant before-the-read: wrong-line
//@ - // The answer: line 17;
//@ + // The answer: line 14;
//@ mutant in-the-if: wrong-line
//@ - // The answer: line 17;
//@ + // The answer: line 16;

//@ begin
// The answer: line 17;
//@ stub
//| // The answer: line 0;
//@ end

extern "C" __global__ void turnAround(int *g_data, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    int mine = 0;
    if (tid < size) {
        mine = g_data[tid];
    }
    //@ here __syncthreads();
    if (tid < size) {
        g_data[size - 1 - tid] = mine;
    }
}
