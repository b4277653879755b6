// A ragged array: rows come in groups of eight, with 0, 3, 0, 0, 61, 1, 0 and 31 elements. Further rows
// without elements come last.
static __device__ unsigned int rowBegin(unsigned int row, unsigned int size)
{
    unsigned int k = row % 8;
    unsigned int before = k < 2 ? 0 : k < 5 ? 3 : k == 5 ? 64 : 65;
    return min(row / 8 * 96 + before, size);
}

static __device__ unsigned int rowCount(unsigned int size)
{
    return 8 * (size / 96 + 2);
}

// The end of row r is step rowBegin(r + 1) + r of the merge path. Returns how many ends come before `step`.
static __device__ unsigned int rowsBefore(unsigned int step, unsigned int size)
{
    unsigned int low = 0, high = rowCount(size);
    while (low < high) {
        unsigned int middle = (low + high) / 2;
        if (rowBegin(middle + 1, size) + middle < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// A thread per 16 steps of the merge path. Every sum is 0 before.
extern "C" __global__ void rowSums(const unsigned int *g_idata, unsigned int *g_sums, unsigned int size)
{
    unsigned int all = size + rowCount(size);
    unsigned int step = 16 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (step >= all) {
        return;
    }
    unsigned int end = min(step + 16, all);
    unsigned int row = rowsBefore(step, size), i = step - row, sum = 0;
    //@ begin
    bool whole = i == rowBegin(row, size); // it begins in this share
    for (; step < end; ++step) {
        if (i < rowBegin(row + 1, size)) {
            sum += g_idata[i];
            ++i;
            continue;
        }
        if (whole) { // and ends in it
            g_sums[row] = sum;
        } else {
            atomicAdd(&g_sums[row], sum);
        }
        ++row;
        sum = 0;
        whole = true;
    }
    if (i > rowBegin(row, size)) { // the row goes on in the next share
        atomicAdd(&g_sums[row], sum);
    }
    //@ stub
    //| for (; step < end; ++step) {
    //|     if (i < rowBegin(row + 1, size)) {
    //|         sum += g_idata[i];
    //|         ++i;
    //|         continue;
    //|     }
    //|     g_sums[row] = sum; // what if the row began in another thread's share?
    //|     ++row;
    //|     sum = 0;
    //| }
    //| // What if the row goes on in the next share?
    //@ end
}
