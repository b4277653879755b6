// 5.1 Half the loads, and fewer
//
// The tree in global memory reloads every sum that it has just stored. Load the block's numbers into shared
// memory first, each with one load, and build the tree there. Global memory is then read once and written
// once.
//
//@ learn how shared memory replaces repeated loads from global memory
//@ minutes 15
//@ launch reduceShared(data, partials, n) grid=n/block
//@ goal global_load_requests <= 16 n=512 block=512
//@ goal global_store_sectors <= 1 n=512 block=512
//@ hint `__shared__ int tile[1024];` is one array for the whole block. Which element does thread t load?
//@ hint Which thread reads `tile[t]` in the first step of the tree, and has thread t written it by then?
//@ hint Only the first `count` elements of the tile are ever written. May the tree read others?
//@ mutant no-barrier-after-the-loads: data-race
//@ - __syncthreads(); // the tile is there
//@ + // nothing
//@ mutant no-barrier-in-the-tree: data-race
//@ - __syncthreads(); // a step is done
//@ + // nothing
//@ mutant loads-beyond-the-end: out-of-bounds
//@ - if (tid < count) {
//@ + if (true) {
//@ mutant tree-over-all-threads: uninitialized-read
//@ - length = count;
//@ + length = blockDim.x;
//@ mutant back-to-global: goal
//@ - int *data = tile;
//@ + int *data = g_idata + first;

extern "C" __global__ void reduceShared(int *g_idata, int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    //@ begin
    __shared__ int tile[1024];
    if (tid < count) {
        tile[tid] = g_idata[first + tid];
    }
    __syncthreads(); // the tile is there
    int *data = tile;
    //@ stub
    //| int *data = g_idata + first;
    //@ end
    for (unsigned int length = count; length > 1; length = (length + 1) / 2) {
        unsigned int half = (length + 1) / 2;
        if (tid + half < length) {
            data[tid] += data[tid + half];
        }
        __syncthreads(); // a step is done
    }
    if (tid == 0) {
        g_odata[blockIdx.x] = count > 0 ? data[0] : 0;
    }
}
