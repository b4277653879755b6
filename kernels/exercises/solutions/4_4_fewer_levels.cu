// 4.4 Fewer levels
//
// A nested level costs far more than its additions. Halving 100,003 numbers takes 17 levels. Let each level
// leave a quarter instead of a half: a thread adds up to three numbers to its own.
//
//@ learn to trade more work per level for fewer launches
//@ minutes 15
//@ launch reduceQuarters(data, out, n) grid=n/block
//@ result out
//@ goal device_launches <= 9 n=100003 block=256
//@ hint With `part = (size + 3) / 4`, thread i < part owns the elements i, i + part, i + 2 * part and i + 3 *
//@      part.
//@ hint Each of the three additions needs its own guard: the four parts need not be equally long.
//@ hint Thread i stores to element i. Does another thread still read that element?
//@ mutant halves: goal
//@ - unsigned int part = (size + 3) / 4;
//@ + unsigned int part = (size + 1) / 2;
//@ mutant three-of-four: wrong-result
//@ - k < size; k += part
//@ + k < size && k < i + 3 * part; k += part
//@ mutant no-guard: out-of-bounds
//@ - k < size; k += part
//@ + k < i + 4 * part; k += part
//@ mutant all-threads: data-race
//@ - if (i < part) {
//@ + if (i < size) {

extern "C" __global__ void reduceQuarters(int *g_data, int *g_odata, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (size <= 1) {
        if (i == 0) {
            *g_odata = size == 1 ? g_data[0] : 0;
        }
        return;
    }
    //@ begin
    unsigned int part = (size + 3) / 4;
    if (i < part) {
        int sum = 0;
        for (unsigned int k = i; k < size; k += part) {
            sum += g_data[k];
        }
        g_data[i] = sum;
    }
    //@ stub
    //| unsigned int part = (size + 1) / 2;
    //| if (i + part < size) {
    //|     g_data[i] += g_data[i + part];
    //| }
    //@ end
    if (i == 0) {
        unsigned int blocks = (part + blockDim.x - 1) / blockDim.x;
        reduceQuarters<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_odata, part);
    }
}
