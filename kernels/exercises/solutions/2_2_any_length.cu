// 2.2 Any length
//
// One block adds up `size` numbers in place, the second half onto the first. The kernel is right as long as
// `size` is a power of two. Make it right for every size that the block has threads for, and for an empty
// array.
//
//@ learn how a tree in place handles lengths that are not powers of two
//@ minutes 10
//@ launch reduceHalves(data, out, n) grid=1
//@ result out
//@ one-block
//@ blocks 32 96 256 1024
//@ hint Five numbers: half is 2. Which element is left over, and what happens to it?
//@ hint Round the half up. Then the middle element stays and has no partner: which threads may add?
//@ hint What is in element 0 of an empty array?
//@ mutant rounds-down: wrong-result
//@ - unsigned int half = (length + 1) / 2;
//@ + unsigned int half = length / 2;
//@ mutant no-guard: out-of-bounds
//@ - if (tid + half < length) {
//@ + if (tid < half) {
//@ mutant empty: out-of-bounds
//@ - size > 0 ? g_data[0] : 0
//@ + g_data[0]
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant leaves-early: wrong-result
//@ - length > 1
//@ + length > 2
//@ mutant endless: step-limit
//@ - length = (length + 1) / 2) {
//@ + length = length / 2 + 1) {

extern "C" __global__ void reduceHalves(int *g_data, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    //@ begin
    for (unsigned int length = size; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            g_data[tid] += g_data[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        *g_odata = size > 0 ? g_data[0] : 0;
    }
    //@ stub
    //| for (unsigned int half = size / 2; half > 0; half /= 2) {
    //|     if (tid < half) {
    //|         g_data[tid] += g_data[tid + half];
    //|     }
    //|     __syncthreads();
    //| }
    //| if (tid == 0) {
    //|     *g_odata = g_data[0];
    //| }
    //@ end
}
