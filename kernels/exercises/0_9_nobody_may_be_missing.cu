// Exercise 0.9: A barrier in an if
//
// Each block adds its first number to all of its numbers. Thread 0 fetches it to `head`, in shared memory,
// for the others. There is a barrier, but in an `if` that only thread 0 enters. The others don't wait at it,
// so it orders nothing; CUDA forbids a barrier that only some threads of a block come to. Move one line.
//
// The host launches `addFirst(input, results, n)` with as many blocks as give each of the `n` numbers a
// thread.
// `results` has room for as many numbers; what is in it at the start is undefined.
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
