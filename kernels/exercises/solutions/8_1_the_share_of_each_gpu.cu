// 8.1 The share of each GPU
//
// An array is divided among GPUs, whose blocks load 16 bytes at a time. So each share has to begin at a
// multiple of four numbers; only the last one that has any may end at another number. Here each *block* plays
// one GPU: `gpu` is its number, and `gpus` is how many there are. Compute where its share begins and ends,
// for any `size` and any number of GPUs: every number in exactly one share, none beyond the end, and no share
// more than four numbers longer than size / gpus.
//
//@ learn to divide any number of elements, aligned
//@ minutes 10
//@ launch sumShares<<<max(7,n/block), block>>> @input @total u32:n
//@ sizes 0 1 2 3 31 32 33 1000 1025 4097 100003 800003
//@ result total
//@ goal block_numbers <= 146 n=1000 block=256
//@ hint `size / gpus` rounds down. Where would the numbers go that are left over?
//@ hint Round the length of a share up, first to whole numbers, then to a multiple of four: `(x + 3) / 4 *
//@      4`.
//@ hint With long shares for the first GPUs, the last may begin beyond the end. Neither `begin` nor `end`
//@      may.
//@ think miscounted: Take the last GPU: what are its `begin` and `end`, and does every step towards them
//@      fit 32 bits?
//@ why For seven GPUs and eight numbers, what does each GPU get? Why is that no waste that matters?
//@ because The first two get four numbers each, the others nothing. A share is at most four numbers longer
//@      than a fair one, whatever the size: with a billion numbers nobody can measure that.
//@ mutant rounds-down: wrong-result
//@ - (size + gpus - 1) / gpus
//@ + size / gpus / 4 * 4
//@ mutant the-rest-to-the-last: goal
//@ - (size + gpus - 1) / gpus
//@ + size / gpus / 4 * 4
//@ - unsigned int end = min((gpu + 1) * each, size);
//@ + unsigned int end = gpu == gpus - 1 ? size : (gpu + 1) * each;
//@ mutant multiplies-first: out-of-bounds
//@ - unsigned int begin = min(gpu * each, size);
//@ + unsigned int begin = gpu * size / gpus / 4 * 4;
//@ - unsigned int end = min((gpu + 1) * each, size);
//@ + unsigned int end = gpu == gpus - 1 ? size : (gpu + 1) * size / gpus / 4 * 4;
//@ mutant multiplies-fours-first: out-of-bounds
//@ - unsigned int each = (size + gpus - 1) / gpus;
//@ + unsigned int fours = (size + 3) / 4;
//@ - each = (each + 3) / 4 * 4;
//@ + //
//@ - unsigned int begin = min(gpu * each, size);
//@ + unsigned int begin = min(fours * gpu / gpus * 4, size);
//@ - unsigned int end = min((gpu + 1) * each, size);
//@ + unsigned int end = min(fours * (gpu + 1) / gpus * 4, size);
//@ mutant four-more-for-the-first: passes
//@ - unsigned int each = (size + gpus - 1) / gpus;
//@ + unsigned int fours = size / 4, each = fours / gpus, more = fours % gpus;
//@ - each = (each + 3) / 4 * 4;
//@ + //
//@ - unsigned int begin = min(gpu * each, size);
//@ + unsigned int begin = 4 * (gpu * each + min(gpu, more));
//@ - unsigned int end = min((gpu + 1) * each, size);
//@ + unsigned int end = gpu == gpus - 1 ? size : 4 * ((gpu + 1) * each + min(gpu + 1, more));
//@ mutant any-number: misaligned
//@ - (each + 3) / 4 * 4
//@ + each
//@ mutant beyond-the-end: out-of-bounds
//@ - min((gpu + 1) * each, size)
//@ + (gpu + 1) * each
//@ mutant one-does-it-all: misaligned
//@ - (size + gpus - 1) / gpus
//@ + size

extern "C" __global__ void sumShares(const unsigned int *g_idata, unsigned int *total, unsigned int size)
{
    unsigned int gpu = blockIdx.x, gpus = gridDim.x;
    //@ begin
    unsigned int each = (size + gpus - 1) / gpus;
    each = (each + 3) / 4 * 4;
    unsigned int begin = min(gpu * each, size);
    unsigned int end = min((gpu + 1) * each, size);
    //@ stub
    //| unsigned int each = size / gpus;
    //| unsigned int begin = gpu * each;
    //| unsigned int end = begin + each;
    //@ end

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
