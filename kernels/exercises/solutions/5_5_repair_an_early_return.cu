// 5.5 Repair an early return
//
// Each warp sums its numbers by shuffles and leaves the sum in shared memory; thread 0 adds the sums of the
// warps. The kernel begins as many do: a thread that has no number returns. Here that is wrong, in more than
// one way, as soon as the last block is not full. Repair it for every length. The host's block sizes are
// multiples of 32.
//
//@ learn what a block still needs from a thread that has no number
//@ minutes 10
//@ launch reduceByWarps<<<n/block, block>>> @input @partials u32:n
//@ hint The shuffle's mask names all 32 lanes. Which of them reach it in the last warp that has a number?
//@ hint Thread 0 adds the sums of all warps of its block. Who writes the sum of a warp in which no thread has
//@      a number?
//@ hint What can a thread without a number add that changes no sum?
//@ think warp-collective: Which lanes does the shuffle need, and which of them have returned?
//@ think uninitialized-read: Which warp should have written this sum, and are its threads still there?
//@ think nothing-written: Who writes the result of a block that owns no number?
//@ why In chapter 3 an early return before a barrier did no harm. Why does it here?
//@ because A barrier does not wait for threads that have left. But a shuffle with a full mask promises that
//@      all 32 lanes take part, and thread 0 counts on a sum from every warp. Both rely on what a thread
//@      without a number does, so it must stay and contribute 0.
//@ mutant mask-of-those-who-stay: warp-collective
//@ - unsigned int sum = i < size ? g_idata[i] : 0;
//@ + unsigned int mask = __ballot_sync(0xffffffff, i < size); if (i >= size) return;
//@ + unsigned int sum = g_idata[i];
//@ - __shfl_down_sync(0xffffffff, sum, distance)
//@ + __shfl_down_sync(mask, sum, distance)
//@ mutant whoever-is-active: warp-collective
//@ - unsigned int sum = i < size ? g_idata[i] : 0;
//@ + if (i >= size) return; unsigned int sum = g_idata[i];
//@ - __shfl_down_sync(0xffffffff, sum, distance)
//@ + __shfl_down_sync(__activemask(), sum, distance)
//@ mutant after-the-shuffles: uninitialized-read
//@ - if (tid % 32 == 0) {
//@ + if (i >= size) return; if (tid % 32 == 0) {
//@ mutant whole-warps-return: uninitialized-read
//@ - unsigned int sum =
//@ + if (i - tid % 32 >= size) return; unsigned int sum =
//@ mutant no-guard: out-of-bounds
//@ - i < size ? g_idata[i] : 0
//@ + g_idata[i]
//@ mutant barrier-in-the-if: barrier-divergence
//@ - if (tid % 32 == 0) {
//@ + if (i < size) { if (tid % 32 == 0) {
//@ - ofWarp[tid / 32] = sum;
//@ + ofWarp[tid / 32] = sum; } __syncthreads();
//@ - } // a sum for each warp
//@ + } else if (tid % 32 == 0) { ofWarp[tid / 32] = 0; }
//@ - __syncthreads(); // all sums are there
//@ + // nothing
//@ mutant no-barrier: data-race
//@ - __syncthreads(); // all sums are there
//@ + // nothing
//@ mutant thread-0-alone: one-thread
//@ = extern "C" __global__ void reduceByWarps(const unsigned int *g_idata, unsigned int *g_odata,
//@ =                                          unsigned int size)
//@ = {
//@ =     if (threadIdx.x == 0) {
//@ =         unsigned int first = blockIdx.x * blockDim.x;
//@ =         unsigned int sum = 0;
//@ =         for (unsigned int i = first; i < size && i < first + blockDim.x; i++) {
//@ =             sum += g_idata[i];
//@ =         }
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant every-number-an-atomic: atomics
//@ = extern "C" __global__ void reduceByWarps(const unsigned int *g_idata, unsigned int *g_odata,
//@ =                                          unsigned int size)
//@ = {
//@ =     __shared__ unsigned int sum;
//@ =     unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
//@ =     if (threadIdx.x == 0) {
//@ =         sum = 0;
//@ =     }
//@ =     __syncthreads();
//@ =     if (i < size) {
//@ =         atomicAdd(&sum, g_idata[i]);
//@ =     }
//@ =     __syncthreads();
//@ =     if (threadIdx.x == 0) {
//@ =         g_odata[blockIdx.x] = sum;
//@ =     }
//@ = }
//@ mutant an-if-in-place-of-the-return: passes
//@ - unsigned int sum = i < size ? g_idata[i] : 0;
//@ + unsigned int sum = 0; if (i < size) { sum = g_idata[i]; }
//@ mutant returns-when-it-is-done: passes
//@ - if (tid == 0) {
//@ + if (tid > 0) return; {

extern "C" __global__ void reduceByWarps(const unsigned int *g_idata, unsigned int *g_odata,
                                         unsigned int size)
{
    __shared__ unsigned int ofWarp[32];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    //@ begin
    unsigned int sum = i < size ? g_idata[i] : 0;
    //@ stub
    //| if (i >= size) {
    //|     return;
    //| }
    //| unsigned int sum = g_idata[i];
    //@ end
    for (unsigned int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (tid % 32 == 0) {
        ofWarp[tid / 32] = sum;
    } // a sum for each warp
    __syncthreads(); // all sums are there
    if (tid == 0) {
        unsigned int all = 0;
        for (unsigned int warp = 0; warp < blockDim.x / 32; warp++) {
            all += ofWarp[warp];
        }
        g_odata[blockIdx.x] = all;
    }
}
