// Exercise 2.4: Find the race
//
// This kernel reverses an array in place. It often works, but one `__syncthreads()` is missing. After which
// line does it belong? Write its number, counted from the first line of this file, and change nothing else.
//
// You learn to find a race by asking who reads and who writes each element. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 2.4
// A hint:    cargo run --example exercise -- hint 2.4

// The answer: line ?;

extern "C" __global__ void reverseInPlace(unsigned int *g_data, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int mine = 0;
    if (tid < size) {
        mine = g_data[tid];
    }
    if (tid < size) {
        g_data[size - 1 - tid] = mine;
    }
}
