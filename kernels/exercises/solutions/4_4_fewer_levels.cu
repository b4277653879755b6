// 4.4 Fewer levels
//
// A nested level costs far more than its additions. Halving 100,003 numbers takes 17 levels. Let each level
// leave a quarter instead of a half: a thread adds up to three numbers to its own.
//
//@ learn to trade more work per level for fewer launches
//@ minutes 15
//@ launch reduceQuarters<<<n/block, block>>> @data @out u32:n
//@ result out
//@ goal device_launches <= 9 n=100003 block=256
//@ hint With `part = (size + 3) / 4`, thread i < part owns the elements i, i + part, i + 2 * part and
//@      i + 3 * part.
//@ hint Each of the three additions needs its own guard: the four parts need not be equally long.
//@ hint Thread i stores to element i. Does another thread still read that element?
//@ think data-race: Which elements remain after this level, and which threads own them? What do the other
//@      threads do?
//@ think launches: How many numbers does a thread add up in each level: four, or more?
//@ why If fewer levels are better, why not leave a 64th?
//@ because 64 numbers per thread, one after the other, are a serial loop again, and a level of 100,003 / 64
//@      threads leaves most of a large GPU idle. Somewhere between 2 and 64 the launches saved and the
//@      threads lost balance.
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
//@ mutant a-64th: launches
//@ - unsigned int part = (size + 3) / 4;
//@ + unsigned int part = (size + 63) / 64;
//@ mutant an-eighth: launches
//@ - unsigned int part = (size + 3) / 4;
//@ + unsigned int part = (size + 7) / 8;
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceQuarters(unsigned int *g_data, unsigned int *g_odata,
//@ =                                           unsigned int size)
//@ = {
//@ =     if (blockIdx.x == 0 && threadIdx.x == 0) {
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = 0; i < size; i++) {
//@ =             sum += g_data[i];
//@ =         }
//@ =         *g_odata = sum;
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: launches
//@ = extern "C" __global__ void reduceQuarters(unsigned int *g_data, unsigned int *g_odata,
//@ =                                           unsigned int size)
//@ = {
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (i > 0 && i < size) {
//@ =         atomicAdd(&g_data[0], g_data[i]);
//@ =     }
//@ =     if (i == 0 && gridDim.x * blockDim.x > 1) {
//@ =         reduceQuarters<<<1, 1, 0, cudaStreamTailLaunch>>>(g_data, g_odata, size);
//@ =     } else if (i == 0) {
//@ =         *g_odata = size > 0 ? g_data[0] : 0;
//@ =     }
//@ = }
//@ mutant four-neighbours: data-race
//@ - for (unsigned int k = i; k < size; k += part) {
//@ + for (unsigned int k = 4 * i; k < size && k < 4 * i + 4; k++) {
//@ mutant with-a-guard-each: passes
//@ - for (unsigned int k = i; k < size; k += part) {
//@ + if (i + part < size) sum += g_data[i + part];
//@ + if (i + 2 * part < size) sum += g_data[i + 2 * part];
//@ + if (i + 3 * part < size) sum += g_data[i + 3 * part]; { unsigned int k = i;

extern "C" __global__ void reduceQuarters(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
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
        unsigned int sum = 0;
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
