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
    //@ begin
    if (length > 16) {
        addRow<<<1, 64, 0, cudaStreamFireAndForget>>>(g_idata + first, length, &g_sums[row]);
        return;
    }
    unsigned int sum = 0;
    for (unsigned int i = 0; i < length; ++i) {
        sum += g_idata[first + i];
    }
    g_sums[row] = sum;
    //@ stub
    //| if (length > 0) {
    //|     addRow<<<1, 64, 0, cudaStreamFireAndForget>>>(g_idata + first, length, &g_sums[row]);
    //| }
    //@ end
}
