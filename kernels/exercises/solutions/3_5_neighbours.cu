// 3.5 Neighbours load neighbours
//
// Each thread adds up eight numbers before the tree begins. Here thread t takes eight adjacent numbers, from
// `8 * t` on. In each load the lanes of a warp touch 32 different sectors and use four bytes of each. Give
// the threads other numbers, so that neighbouring lanes load neighbouring numbers.
//
//@ learn which numbers a thread should take so that the loads of a warp are coalesced
//@ minutes 10
//@ launch reduceEight(data, partials, n) grid=n/(8*block)
//@ goal global_load_sectors <= 340 n=2048 block=256
//@ hint A sector is 32 bytes, eight numbers. How many sectors do 32 lanes touch when they load 32 adjacent
//@      numbers?
//@ hint In load k, thread t takes number t of a row of `blockDim.x` numbers. Where does row k begin?
//@ mutant as-before: goal
//@ - tid + k * blockDim.x
//@ + 8 * tid + k
//@ mutant every-second-row: wrong-result
//@ - tid + k * blockDim.x
//@ + tid + 2 * k * blockDim.x
//@ mutant overlapping-rows: wrong-result
//@ - tid + k * blockDim.x
//@ + tid + k * 32
//@ mutant no-guard: out-of-bounds
//@ - i < count ? idata[i] : 0
//@ + idata[i]
//@ mutant no-barrier-before-the-tree: data-race
//@ - __syncthreads(); // every thread has its sum
//@ + // nothing

extern "C" __global__ void reduceEight(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = 8 * blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(8 * blockDim.x, size - first) : 0;
    int *idata = g_idata + first;
    int sum = 0;
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
