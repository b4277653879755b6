// Exercise 0.9: A barrier in an if
//
// Each block adds its first number to all of its numbers. Thread 0 fetches it to `head`, in shared memory,
// for the others. There is a barrier, but in an `if` that only thread 0 enters: the others don't wait at it,
// so it orders nothing, and CUDA doesn't even promise that it opens. Move one line.
//
// The host launches `addFirst(input, results, n)` with a thread for each of the `n` numbers.
// `results` has room for as many numbers, and nothing is in it at the start.
//
// You learn that a barrier is for all threads of a block, or for none. About 2 minutes.
//
// Check it:  cargo run --example exercise -- 0.9
// A hint:    cargo run --example exercise -- hint 0.9

extern "C" __global__ void addFirst(const int *input, int *results, int n)
{
    __shared__ int head; // one for each block
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        head = input[i];
        __syncthreads();
    }
    if (i < n) {
        results[i] = input[i] + head;
    }
}
