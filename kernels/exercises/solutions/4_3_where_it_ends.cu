// 4.3 Where it ends
//
// A recursion needs a base case that launches nothing. This one has none: it halves one element to one
// element, and goes on. Give it a base case, for one element and for none, that writes the result.
//
//@ learn what the base case of a kernel that launches itself has to do
//@ minutes 10
//@ launch reduceLevels(data, out, n) grid=n/block
//@ result out
//@ hint Which sizes need no further level? What is the sum then?
//@ hint One thread of the whole grid writes the result, and no thread launches: all of them return.
//@ think step-limit: What size does a level have if its parent had one element?
//@ think launch-limit: What size does a level have if its parent had one element?
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

extern "C" __global__ void reduceLevels(int *g_data, int *g_odata, unsigned int size)
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
