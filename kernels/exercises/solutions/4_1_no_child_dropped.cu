// 4.1 Nest it without dropping a child
//
// Every block halves its own numbers and launches a child for what is left. With more than 2,048 blocks, more
// children are pending than the device has room for: the others never run, and no error reaches the host.
// Launch one child for the whole grid instead: the grid halves the whole array, and one of its threads
// launches the next level.
//
//@ learn to launch one child per level instead of one per block
//@ minutes 20
//@ launch reduceNested<<<n/block, block>>> @data @total u32:n
//@ result total
//@ goal device_launches <= 17 n=100003 block=32
//@ hint Let thread i of the whole grid, `i = blockIdx.x * blockDim.x + threadIdx.x`, add element `i + half`
//@      to element i, where `half` is half of the whole array.
//@ hint Only the thread with i = 0 launches. A tail launch (`cudaStreamTailLaunch`) starts when all blocks of
//@      the parent have finished, which no barrier could ensure.
//@ hint The child needs one thread for each remaining addition, and at least one block.
//@ think data-race: What else works on these elements: another block of the same grid, or a child that has
//@      already started?
//@ think wrong-result: Which thread writes the result when one element is left, and when there is none?
//@ think miscounted: At which level does the count of these elements go wrong: has it a thread for each of
//@      them, and only one?
//@ why Why does one launch per level drop no child, however long the array?
//@ because Every level is the only child of its parent. While it launches the next one it still counts
//@      itself, so two launches are pending at any time, however long the array. The depth is the logarithm
//@      of the length: 17 levels for 100,003 numbers. With a child per block, all blocks of a level launch at
//@      about the same time.
//@ mutant every-block-launches: wrong-result
//@ - if (i == 0) { // one child per level
//@ + if (threadIdx.x == 0) {
//@ mutant at-once: data-race
//@ - cudaStreamTailLaunch
//@ + cudaStreamFireAndForget
//@ mutant volatile-at-once: data-race
//@ - reduceNested(unsigned int *g_data
//@ + reduceNested(volatile unsigned int *g_data
//@ - cudaStreamTailLaunch
//@ + cudaStreamFireAndForget
//@ mutant too-few-blocks: wrong-result
//@ - (half + blockDim.x - 1) / blockDim.x
//@ + half / 4 / blockDim.x + 1
//@ mutant no-guard: out-of-bounds
//@ - if (i + half < size) {
//@ + if (i < half) {
//@ mutant rounds-down: wrong-result
//@ - unsigned int half = (size + 1) / 2;
//@ + unsigned int half = size / 2;
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceNested(unsigned int *g_data, unsigned int *g_total, unsigned int size)
//@ = {
//@ =     if (blockIdx.x == 0 && threadIdx.x == 0) {
//@ =         for (unsigned int i = 0; i < size; i++) {
//@ =             *g_total += g_data[i];
//@ =         }
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: launches
//@ = extern "C" __global__ void reduceNested(unsigned int *g_data, unsigned int *g_total, unsigned int size)
//@ = {
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (i < size) {
//@ =         atomicAdd(g_total, g_data[i]);
//@ =     }
//@ = }
//@ mutant no-child: launches
//@ = extern "C" __global__ void reduceNested(unsigned int *g_data, unsigned int *g_total, unsigned int size)
//@ = {
//@ =     unsigned int tid = threadIdx.x;
//@ =     unsigned int first = blockIdx.x * blockDim.x;
//@ =     unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
//@ =     unsigned int *idata = g_data + first;
//@ =     for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
//@ =         unsigned int half = (length + 1) / 2;
//@ =         if (tid + half < length) {
//@ =             idata[tid] += idata[tid + half];
//@ =         }
//@ =         __syncthreads();
//@ =     }
//@ =     if (tid == 0 && count > 0) {
//@ =         atomicAdd(g_total, idata[0]);
//@ =     }
//@ = }
//@ mutant one-child-does-all: one-thread
//@ = __global__ void all(unsigned int *g_data, unsigned int *g_total, unsigned int size)
//@ = {
//@ =     for (unsigned int i = 0; i < size; i++) {
//@ =         *g_total += g_data[i];
//@ =     }
//@ = }
//@ =
//@ = extern "C" __global__ void reduceNested(unsigned int *g_data, unsigned int *g_total, unsigned int size)
//@ = {
//@ =     if (blockIdx.x == 0 && threadIdx.x == 0) {
//@ =         all<<<1, 1, 0, cudaStreamTailLaunch>>>(g_data, g_total, size);
//@ =     }
//@ = }
//@ mutant block-trees-and-empty-children: launches
//@ = extern "C" __global__ void reduceNested(unsigned int *g_data, unsigned int *g_total, unsigned int size)
//@ = {
//@ =     unsigned int tid = threadIdx.x;
//@ =     unsigned int first = blockIdx.x * blockDim.x;
//@ =     unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
//@ =     unsigned int *idata = g_data + first;
//@ =     for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
//@ =         unsigned int half = (length + 1) / 2;
//@ =         if (tid + half < length) {
//@ =             idata[tid] += idata[tid + half];
//@ =         }
//@ =         __syncthreads();
//@ =     }
//@ =     if (tid == 0 && count > 0) {
//@ =         atomicAdd(g_total, idata[0]);
//@ =     }
//@ =     if (blockIdx.x == 0 && tid == 0) {
//@ =         for (unsigned int length = size; length > 1; length = (length + 1) / 2) {
//@ =             reduceNested<<<1, 1, 0, cudaStreamTailLaunch>>>(g_data, g_total, 0);
//@ =         }
//@ =     }
//@ = }
//@ mutant sixteen-at-a-time: launches
//@ = extern "C" __global__ void reduceNested(unsigned int *g_data, unsigned int *g_total, unsigned int size)
//@ = {
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (size <= 1) {
//@ =         if (i == 0 && size == 1) {
//@ =             *g_total = g_data[0];
//@ =         }
//@ =         return;
//@ =     }
//@ =     unsigned int part = (size + 15) / 16;
//@ =     for (unsigned int k = i + part; i < part && k < size; k += part) {
//@ =         g_data[i] += g_data[k];
//@ =     }
//@ =     if (i == 0) {
//@ =         unsigned int blocks = (part + blockDim.x - 1) / blockDim.x;
//@ =         reduceNested<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_total, part);
//@ =     }
//@ = }
//@ mutant all-levels-from-one-thread: passes
//@ = __global__ void level(unsigned int *g_data, unsigned int size)
//@ = {
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     unsigned int half = (size + 1) / 2;
//@ =     if (i + half < size) {
//@ =         g_data[i] += g_data[i + half];
//@ =     }
//@ = }
//@ =
//@ = extern "C" __global__ void reduceNested(unsigned int *g_data, unsigned int *g_total, unsigned int size)
//@ = {
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (size <= 1) {
//@ =         if (i == 0 && size > 0) {
//@ =             *g_total = g_data[0];
//@ =         }
//@ =         return;
//@ =     }
//@ =     unsigned int half = (size + 1) / 2;
//@ =     if (i + half < size) {
//@ =         g_data[i] += g_data[i + half];
//@ =     }
//@ =     if (i == 0) {
//@ =         for (unsigned int length = half; length > 1; length = (length + 1) / 2) {
//@ =             unsigned int blocks = (length / 2 + blockDim.x - 1) / blockDim.x;
//@ =             level<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, length);
//@ =         }
//@ =         reduceNested<<<1, 1, 0, cudaStreamTailLaunch>>>(g_data, g_total, 1);
//@ =     }
//@ = }

extern "C" __global__ void reduceNested(unsigned int *g_data, unsigned int *g_total, unsigned int size)
{
    //@ begin
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (size <= 1) {
        if (i == 0 && size == 1) {
            *g_total = g_data[0];
        }
        return;
    }
    unsigned int half = (size + 1) / 2;
    if (i + half < size) {
        g_data[i] += g_data[i + half];
    }
    if (i == 0) { // one child per level
        unsigned int blocks = (half + blockDim.x - 1) / blockDim.x;
        reduceNested<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_total, half);
    }
    //@ stub
    //| unsigned int tid = threadIdx.x;
    //| unsigned int first = blockIdx.x * blockDim.x;
    //| unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    //| unsigned int *idata = g_data + first;
    //| if (count <= 1) {
    //|     if (tid == 0 && count == 1) {
    //|         atomicAdd(g_total, idata[0]);
    //|     }
    //|     return;
    //| }
    //| unsigned int half = (count + 1) / 2;
    //| if (tid + half < count) {
    //|     idata[tid] += idata[tid + half];
    //| }
    //| if (tid == 0) {
    //|     reduceNested<<<1, half, 0, cudaStreamTailLaunch>>>(idata, g_total, half);
    //| }
    //@ end
}
