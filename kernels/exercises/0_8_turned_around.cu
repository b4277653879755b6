// Exercise 0.8: Turned around in shared memory
//
// Each block turns its own numbers around: its last one comes first. To do so, it copies them to `tile`, an
// array in shared memory, which all threads of the block read and write, and no other block sees. Then each
// thread takes the number it needs from there. As given, the threads put back what they brought. Change the
// index; then mind that a thread now reads what another one has brought: is it there yet?
//
// The host launches `turnAround(input, results, n)` with as many blocks as give each of the `n` numbers a
// thread.
// `results` has room for as many numbers; what is in it at the start is undefined.
//
// You learn what shared memory is for, and that a barrier belongs between what some threads write and
// others read. About 5 minutes.
//
// Check it:  cargo run --example exercise -- 0.8
// A hint:    cargo run --example exercise -- hint 0.8

extern "C" __global__ void turnAround(const int *input, int *results, int n)
{
    __shared__ int tile[1024]; // one for each block
    int t = threadIdx.x;
    int first = blockIdx.x * blockDim.x; // the block's first number
    int count = min(n - first, (int)blockDim.x); // how many it has
    if (t < count) {
        tile[t] = input[first + t];
    }
    if (t < count) {
        results[first + t] = tile[t];
    }
}
