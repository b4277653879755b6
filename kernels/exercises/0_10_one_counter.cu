// Exercise 0.10: Two threads, one counter
//
// How many of the numbers are odd? Each thread looks at its own number, and if that is odd, it adds 1 to
// `total`, which all threads share. The line that does so reads the counter, adds 1, and writes it back. If
// two threads read 7 before either has written, both write 8, and one odd number is lost. Make the three
// steps one. (No number is negative: in C, `-3 % 2` is -1.)
//
// The host launches `countOdd(input, total, n)` with as many blocks as give each of the `n` numbers a
// thread.
// `total` is 0 at the start, and holds the result at the end.
//
// You learn what an atomic operation is for. About 3 minutes.
//
// Check it:  cargo run --example exercise -- 0.10
// A hint:    cargo run --example exercise -- hint 0.10

extern "C" __global__ void countOdd(const int *input, int *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && input[i] % 2 == 1) {
        *total = *total + 1;
    }
}
