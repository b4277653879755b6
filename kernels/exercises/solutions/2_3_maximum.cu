// 2.3 The maximum instead of the sum
//
// The tree works for every associative operation. Let it find the largest number. For an empty array the
// answer is the value that changes no maximum: the smallest `int`, `INT_MIN`.
//
//@ learn what an operation other than the sum needs: its own identity
//@ minutes 5
//@ launch maxNeighbored<<<1, block>>> @data @out u32:n
//@ result out
//@ op max
//@ one-block
//@ hint Two lines are about addition. What gives the larger of two numbers? CUDA has `max(a, b)`.
//@ hint 0 changes no sum. It does change a maximum if all numbers are negative, or if there are none.
//@ think wrong-result: What does a step do with its two numbers, and what should it do?
//@ why If no array were ever empty, would this kernel still need `INT_MIN`?
//@ because No. The identity stands in for missing elements, and this tree skips those. A tree that fills them
//@      in, as those of chapters 5 and 6 do, needs it in every incomplete block: with 0 instead, an array of
//@      negative numbers would have the maximum 0.
//@ mutant still-the-sum: wrong-result
//@ - max(g_data[tid], g_data[tid + stride])
//@ + g_data[tid] + g_data[tid + stride]
//@ mutant identity-of-the-sum: wrong-result
//@ - : INT_MIN
//@ + : 0
//@ mutant unsigned: wrong-result
//@ - max(g_data[tid], g_data[tid + stride])
//@ + (int)max((unsigned)g_data[tid], (unsigned)g_data[tid + stride])
//@ mutant the-last-one: wrong-result
//@ - tid + stride < size) {
//@ + tid + stride < size - 1) {
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant no-guard: out-of-bounds
//@ - tid + stride < size) {
//@ + true) {
//@ mutant thread-0-alone: one-thread
//@ = #include <limits.h>
//@ =
//@ = extern "C" __global__ void maxNeighbored(int *g_data, int *g_odata, unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         int largest = INT_MIN;
//@ =         for (unsigned int i = 0; i < size; i++) {
//@ =             largest = max(largest, g_data[i]);
//@ =         }
//@ =         *g_odata = largest;
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = #include <limits.h>
//@ =
//@ = extern "C" __global__ void maxNeighbored(int *g_data, int *g_odata, unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         *g_odata = INT_MIN;
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x < size) {
//@ =         atomicMax(g_odata, g_data[threadIdx.x]);
//@ =     }
//@ = }
//@ mutant by-a-comparison: passes
//@ - g_data[tid] = max(g_data[tid], g_data[tid + stride]);
//@ + if (g_data[tid + stride] > g_data[tid]) g_data[tid] = g_data[tid + stride];

#include <limits.h>

extern "C" __global__ void maxNeighbored(int *g_data, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    for (unsigned int stride = 1; stride < size; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < size) {
            //@ begin
            g_data[tid] = max(g_data[tid], g_data[tid + stride]);
            //@ stub
            //| g_data[tid] += g_data[tid + stride];
            //@ end
        }
        __syncthreads();
    }
    if (tid == 0) {
        //@ begin
        *g_odata = size > 0 ? g_data[0] : INT_MIN;
        //@ stub
        //| *g_odata = size > 0 ? g_data[0] : 0;
        //@ end
    }
}
