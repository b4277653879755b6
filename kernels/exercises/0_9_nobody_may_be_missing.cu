// Exercise 0.9: A barrier in an if
//
// Each block adds its first number to all of its numbers. Thread 0 fetches it to `head`, in shared memory,
// for the others. There is a barrier, but it stands where only thread 0 comes by: the others never arrive,
// so it orders nothing, and on some GPUs the program stops here for ever. Move one line.
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
