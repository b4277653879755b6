// 4.3 Where it ends
//
// A recursion needs a base case that launches nothing. This one has none: it halves one element to one
// element, and goes on. Give it a base case, for one element and for none, that writes the result.
//
//@ learn what the base case of a kernel that launches itself has to do
//@ minutes 10
//@ launch reduceLevels<<<n/block, block>>> @data @out u32:n
//@ result out
//@ hint Which sizes need no further level? What is the sum then?
//@ hint One thread of the whole grid writes the result, and no thread launches: all of them return.
//@ think step-limit: What size does a level have if its parent had one element?
//@ think launch-limit: How many blocks does the next level have if there is no element at all?
//@ think launches: Does every level halve the array, down to one element?
//@ why Why must the base case cover an empty array, although no level ever halves its way down to 0?
//@ because The host may launch the kernel for an empty array. Half of 0, rounded up, is 0: without a case for
//@      it the next level would have no block at all, and a grid without blocks cannot be launched.
//@ mutant no-case-for-none: launch-limit
//@ - if (size <= 1) {
//@ + if (size == 1) {
//@ mutant one-too-early: wrong-result
//@ - if (size <= 1) {
//@ + if (size <= 2) {
//@ mutant reads-what-is-not-there: out-of-bounds
//@ - size == 1 ? g_data[0] : 0
//@ + g_data[0]
//@ mutant at-once: data-race
//@ - cudaStreamTailLaunch
//@ + cudaStreamFireAndForget
//@ mutant writes-and-goes-on: step-limit
//@ - return;
//@ + // nothing
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceLevels(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     if (blockIdx.x == 0 && threadIdx.x == 0) {
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = 0; i < size; i++) {
//@ =             sum += g_data[i];
//@ =         }
//@ =         *g_odata = sum;
//@ =     }
//@ = }
//@ mutant the-last-block-without-a-child: launches
//@ - if (size <= 1) {
//@ + if (size <= blockDim.x) { if (blockIdx.x == 0) {
//@ + for (unsigned int stride = 512; stride > 0; stride /= 2) {
//@ + if (i < stride && i + stride < size) g_data[i] += g_data[i + stride]; __syncthreads(); } }
//@ - size == 1 ? g_data[0] : 0
//@ + size > 0 ? g_data[0] : 0
//@ mutant every-number-an-atomic: launches
//@ = extern "C" __global__ void reduceLevels(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (i > 0 && i < size) {
//@ =         atomicAdd(&g_data[0], g_data[i]);
//@ =     }
//@ =     if (i == 0 && gridDim.x * blockDim.x > 1) {
//@ =         reduceLevels<<<1, 1, 0, cudaStreamTailLaunch>>>(g_data, g_odata, size);
//@ =     } else if (i == 0) {
//@ =         *g_odata = size > 0 ? g_data[0] : 0;
//@ =     }
//@ = }

extern "C" __global__ void reduceLevels(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    //@ begin
    if (size <= 1) {
        if (i == 0) {
            *g_odata = size == 1 ? g_data[0] : 0;
        }
        return;
    }
    //@ stub
    //@ end
    unsigned int half = (size + 1) / 2;
    if (i + half < size) {
        g_data[i] += g_data[i + half];
    }
    if (i == 0) {
        unsigned int blocks = (half + blockDim.x - 1) / blockDim.x;
        reduceLevels<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_odata, half);
    }
}
