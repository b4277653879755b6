// 4.2 What the child sees
//
// A fire-and-forget child may start at once, beside its parent. It sees memory as the launching thread sees
// it at that moment. Here the child starts too early: it reads sums that other threads of the parent have yet
// to write. Make sure that the child sees all of them. Keep it a fire-and-forget launch.
//
//@ learn what a child is guaranteed to see of its parent's work
//@ minutes 10
//@ launch reduceForget(data, partials, n) grid=n/block
//@ blocks 96 256 1024
//@ most-blocks 100
//@ hint Thread 0 launches. Which additions of the other threads has it seen by then?
//@ hint What makes all threads of a block wait for each other, and lets each see what the others wrote?
//@ hint Threads that have left before the barrier are fine; threads that wait in a branch are not.
//@ think child-visibility: What has thread 0 waited for before it launches?
//@ think data-race: What has thread 0 waited for before it launches?
//@ mutant no-barrier: data-race
//@ - __syncthreads();
//@ + // nothing
//@ mutant barrier-behind-the-launch: data-race
//@ - __syncthreads();
//@ + // nothing
//@ - (idata, odata, half);
//@ + (idata, odata, half); } __syncthreads(); {
//@ mutant no-guard: out-of-bounds
//@ - if (tid + half < count) {
//@ + if (tid < half) {
//@ mutant every-thread-launches: data-race
//@ - if (tid == 0) { // one child per block
//@ + if (tid < 2) {
//@ mutant fence-only: data-race
//@ - __syncthreads();
//@ + __threadfence();

extern "C" __global__ void reduceForget(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    int *idata = g_idata + first;
    int *odata = g_odata + blockIdx.x;
    if (count <= 1) {
        if (tid == 0) {
            *odata = count == 1 ? idata[0] : 0;
        }
        return;
    }
    unsigned int half = (count + 1) / 2;
    if (tid + half < count) {
        idata[tid] += idata[tid + half];
    }
    //@ begin
    __syncthreads();
    //@ stub
    //@ end
    if (tid == 0) { // one child per block
        reduceForget<<<1, half, 0, cudaStreamFireAndForget>>>(idata, odata, half);
    }
}
