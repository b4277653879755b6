// 3.5 Neighbours load neighbours
//
// Each thread adds up eight numbers before the tree begins. Here thread t takes eight adjacent numbers, from
// `8 * t` on. In each load the lanes of a warp touch 32 different sectors and use four bytes of each. Choose
// other numbers for each thread, so that neighbouring lanes load neighbouring numbers.
//
//@ learn which numbers a thread should take so that the loads of a warp are coalesced
//@ minutes 10
//@ launch reduceEight<<<n/(8*block), block>>> @data @partials u32:n
//@ goal global_load_sectors <= 340 n=2048 block=256
//@ hint A sector is 32 bytes, eight numbers. How many sectors do 32 lanes touch when they load 32 adjacent
//@      numbers?
//@ hint In load k, thread t takes number t of a row of `blockDim.x` numbers. Where does row k begin?
//@ why The first barrier, "everything has been read", was needed for the task as it was given. Your answer
//@      passes without it, too: why?
//@ because A thread now reads the elements t, t + blockDim.x and so on, and writes element t, which no other
//@      thread reads before the tree. In the task as given, thread t wrote element t while thread t / 8 might
//@      still read it. (If your threads take other numbers, the barrier may still be needed.)
//@ mutant as-before: goal
//@ - tid + k * blockDim.x
//@ + 8 * tid + k
//@ mutant only-where-it-is-measured: goal
//@ - tid + k * blockDim.x
//@ + size == 2048 ? tid + k * blockDim.x : 8 * tid + k
//@ mutant only-in-blocks-of-256: goal
//@ - tid + k * blockDim.x
//@ + blockDim.x == 256 ? tid + k * blockDim.x : 8 * tid + k
//@ mutant every-second-row: wrong-result
//@ - tid + k * blockDim.x
//@ + tid + 2 * k * blockDim.x
//@ mutant overlapping-rows: wrong-result
//@ - tid + k * blockDim.x
//@ + tid + k * 32
//@ mutant no-guard: out-of-bounds
//@ - i < count ? idata[i] : 0
//@ + idata[i]
//@ mutant one-number-twice: wrong-result
//@ - k < 8; k++
//@ + k < 9; k++
//@ - tid + k * blockDim.x
//@ + tid + k % 8 * blockDim.x
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceEight(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int first = 8 * blockIdx.x * blockDim.x;
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = first; i < size && i < first + 8 * blockDim.x; i++) {
//@ =             sum += g_idata[i];
//@ =         }
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant every-thread-an-atomic: atomics
//@ = extern "C" __global__ void reduceEight(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
//@ = {
//@ =     __shared__ unsigned int all;
//@ =     if (threadIdx.x == 0) {
//@ =         all = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     unsigned int sum = 0;
//@ =     for (unsigned int k = 0; k < 8; k++) {
//@ =         unsigned int i = 8 * blockIdx.x * blockDim.x + threadIdx.x + k * blockDim.x;
//@ =         sum += i < size ? g_idata[i] : 0;
//@ =     }
//@ =     atomicAdd(&all, sum);
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         g_odata[blockIdx.x] = all;
//@ =     }
//@ = }
//@ mutant without-the-first-barrier: passes
//@ - __syncthreads(); // everything has been read
//@ + // nothing
//@ mutant no-barrier-before-the-tree: data-race
//@ - __syncthreads(); // every thread has its sum
//@ + // nothing

extern "C" __global__ void reduceEight(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = 8 * blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(8 * blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    unsigned int sum = 0;
    for (unsigned int k = 0; k < 8; k++) {
        //@ begin
        unsigned int i = tid + k * blockDim.x;
        //@ stub
        //| unsigned int i = 8 * tid + k;
        //@ end
        sum += i < count ? idata[i] : 0;
    }
    __syncthreads(); // everything has been read
    if (tid < count) {
        idata[tid] = sum;
    }
    __syncthreads(); // every thread has its sum
    for (unsigned int length = min(count, blockDim.x); length > 1; length = (length + 1) / 2) {
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
