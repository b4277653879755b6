// 5.3 A dot product without bank conflicts
//
// Each thread multiplies a pair of numbers, and the block adds up the products in shared memory. In step
// `stride` the working threads touch words `2 * stride` apart, so several lanes of a warp hit the same one of
// the 32 banks and are served one after another. Build the tree so that neighbouring threads touch
// neighbouring words.
//
//@ learn to recognise bank conflicts, and to lay out shared memory without them
//@ minutes 15
//@ launch dotProduct(input, other, partials, n) grid=n/block
//@ op dot
//@ goal shared_bank_conflicts <= 0 n=256 block=256
//@ hint Word w is in bank w % 32. Which banks do lanes 0 and 16 touch when the words lie two apart?
//@ hint Chapter 3 had a tree in which thread t adds the element half the length further on. Which words does
//@      a warp touch there?
//@ hint Every thread fills its word of the tile, with 0 where there is no pair. Then the tree may use all of
//@      them.
//@ mutant every-second-word: goal
//@ - __syncthreads(); // the products are there
//@ + __syncthreads(); int look = ((volatile int *)tile)[2 * tid % blockDim.x]; __syncthreads();
//@ mutant no-barrier-after-the-products: data-race
//@ - __syncthreads(); // the products are there
//@ + // nothing
//@ mutant the-square: wrong-result
//@ - g_a[i] * g_b[i]
//@ + g_a[i] * g_a[i]
//@ mutant no-guard: out-of-bounds
//@ - i < size ? g_a[i] * g_b[i] : 0
//@ + g_a[i] * g_b[i]
//@ mutant unfilled-tile: uninitialized-read
//@ - tile[tid] = i < size ? g_a[i] * g_b[i] : 0;
//@ + if (i < size) tile[tid] = g_a[i] * g_b[i];

extern "C" __global__ void dotProduct(const int *g_a, const int *g_b, int *g_odata, unsigned int size)
{
    __shared__ int tile[1024];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;
    tile[tid] = i < size ? g_a[i] * g_b[i] : 0;
    __syncthreads(); // the products are there
    //@ begin
    for (unsigned int length = blockDim.x; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }
    //@ stub
    //| for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
    //|     unsigned int index = 2 * stride * tid;
    //|     if (index + stride < blockDim.x) {
    //|         tile[index] += tile[index + stride];
    //|     }
    //|     __syncthreads();
    //| }
    //@ end
    if (tid == 0) {
        g_odata[blockIdx.x] = tile[0];
    }
}
