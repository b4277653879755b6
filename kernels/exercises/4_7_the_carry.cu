// Exercise 4.7: The carry at a border
//
// Each thread takes 16 steps of the merge path: elements, and the ends of rows. A row may begin in one
// thread's share and end three shares later, so that four threads have a part of its sum. Now each row gets
// the part of the thread in whose share it ends, and the others are lost. Mend that. A row that lies in
// one share needs no atomic addition.
//
// The host launches `rowSums(input, sums, n)` with as many blocks as give every 8 of the `n` numbers a
// thread.
// `sums` has room for more rows than there are, and is 0 at the start.
// Goal: at most 320 atomic operations at n = 4,097, 96 threads per block.
//
// You learn to join the parts of a row that equal shares have cut apart. About 25 minutes.
//
// Check it:  cargo run --example exercise -- 4.7
// A hint:    cargo run --example exercise -- hint 4.7

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
    for (; step < end; ++step) {
        if (i < rowBegin(row + 1, size)) {
            sum += g_idata[i];
            ++i;
            continue;
        }
        g_sums[row] = sum; // what if the row began in another thread's share?
        ++row;
        sum = 0;
    }
    // What if the row goes on in the next share?
}
