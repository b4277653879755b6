// Exercise 8.1: The share of each GPU
//
// An array is divided among GPUs, whose blocks load 16 bytes at a time. So each share has to begin at a
// multiple of four numbers; only the last one that has any may end at another number. Here each *block* plays
// one GPU: `gpu` is its number, and `gpus` is how many there are. Compute where its share begins and ends,
// for any `size` and any number of GPUs: every number in exactly one share, none beyond the end, and no share
// more than four numbers longer than size / gpus.
//
// The host launches `sumShares(input, total, n)` with 7 blocks, or, where those are more, as many blocks
// as give each of the `n` numbers a thread.
// `total` is 0 at the start, and holds the result at the end.
// Goal: at most 146 numbers loaded by one block at n = 1,000, 256 threads per block.
//
// You learn to divide any number of elements, aligned. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 8.1
// A hint:    cargo run --example exercise -- hint 8.1

extern "C" __global__ void sumShares(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int gpu = blockIdx.x, gpus = gridDim.x;
    unsigned int each = size / gpus;
    unsigned int begin = gpu * each;
    unsigned int end = begin + each;

    // This GPU's share: 16 bytes at a time, then what is left.
    unsigned int sum = 0, vectors = (end - begin) / 4;
    for (unsigned int i = threadIdx.x; i < vectors; i += blockDim.x) {
        uint4 v = ((const uint4 *)(g_idata + begin))[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (threadIdx.x < (end - begin) % 4) {
        sum += g_idata[begin + vectors * 4 + threadIdx.x];
    }
    atomicAdd(total, sum);
}
