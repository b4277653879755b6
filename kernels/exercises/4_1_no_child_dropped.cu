// Exercise 4.1: Nest it without dropping a child
//
// Every block halves its own numbers and launches a child for what is left. With more than 2,048 blocks, more
// children are pending than the device has room for: the others never run, and no error reaches the host.
// Launch one child for the whole grid instead: the grid halves the whole array, and one of its threads
// launches the next level.
//
// The host launches `reduceNested(data, total, n)` with as many blocks as give each of the `n` numbers a
// thread.
// `total` is 0 at the start, and holds the result at the end.
// Goal: at most 17 device launches at n = 100,003, 32 threads per block.
//
// You learn to launch one child per level instead of one per block. About 20 minutes.
//
// Check it:  cargo run --example exercise -- 4.1
// A hint:    cargo run --example exercise -- hint 4.1

extern "C" __global__ void reduceNested(unsigned int *g_data, unsigned int *g_total, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_data + first;
    if (count <= 1) {
        if (tid == 0 && count == 1) {
            atomicAdd(g_total, idata[0]);
        }
        return;
    }
    unsigned int half = (count + 1) / 2;
    if (tid + half < count) {
        idata[tid] += idata[tid + half];
    }
    if (tid == 0) {
        reduceNested<<<1, half, 0, cudaStreamTailLaunch>>>(idata, g_total, half);
    }
}
