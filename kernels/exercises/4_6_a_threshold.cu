// Exercise 4.6: A threshold
//
// A thread per row launches a child for every row that has elements, however few. A child costs far more than
// a few additions. Rows of at most 16 elements should be added up by the thread itself, and only longer ones
// by a child. Each row has its own sum in `sums`.
//
// The host launches `rowSums(input, sums, n)` with as many blocks as give each of the `n` numbers a
// thread.
// `sums` has room for more rows than there are, and is 0 at the start.
// Goal: at most 43 device launches at n = 4,097, 32 threads per block.
//
// You learn to launch a child only where it has enough to do. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 4.6
// A hint:    cargo run --example exercise -- hint 4.6

// A ragged array: rows come in groups of eight, with 2, 0, 9, 5, 0, 12, 4 and 64 elements. The last
// one may be cut off.
static __device__ unsigned int rowBegin(unsigned int row, unsigned int size)
{
    unsigned int k = row % 8;
    unsigned int before = k == 0 ? 0 : k < 3 ? 2 : k == 3 ? 11 : k < 6 ? 16 : k == 6 ? 28 : 32;
    return min(row / 8 * 96 + before, size);
}

static __device__ unsigned int rowCount(unsigned int size)
{
    return 8 * (size / 96 + 1);
}

// A child: adds the elements of one row to its sum.
__global__ void addRow(const unsigned int *row, unsigned int length, unsigned int *sum)
{
    if (threadIdx.x < length) {
        atomicAdd(sum, row[threadIdx.x]);
    }
}

// A thread per row. Every sum is 0 before.
extern "C" __global__ void rowSums(const unsigned int *g_idata, unsigned int *g_sums, unsigned int size)
{
    unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rowCount(size)) {
        return;
    }
    unsigned int first = rowBegin(row, size), length = rowBegin(row + 1, size) - first;
    if (length > 0) {
        addRow<<<1, 64, 0, cudaStreamFireAndForget>>>(g_idata + first, length, &g_sums[row]);
    }
}
