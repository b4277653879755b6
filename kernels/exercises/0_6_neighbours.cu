// Exercise 0.6: Neighbours
//
// Each thread adds to its number the one to its left and the one to its right. Only the first number has
// nothing to its left, and the last one has nothing to its right: there, add 0. The guard for `i` does not
// help, since `i` itself is in the array. Two lines need a guard of their own.
//
// The host launches `withNeighbours(input, results, n)` with as many blocks as give each of the `n`
// numbers a thread.
// `results` has room for as many numbers; what is in it at the start is undefined.
//
// You learn that each index needs its guard, and why a kernel seldom writes where it reads. About 4
// minutes.
//
// Check it:  cargo run --example exercise -- 0.6
// A hint:    cargo run --example exercise -- hint 0.6

extern "C" __global__ void withNeighbours(const int *input, int *results, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int left = input[i - 1];
        int right = input[i + 1];
        results[i] = left + input[i] + right;
    }
}
