// Exercise 2.4: Find the race
//
// This kernel turns an array around, in place. It often gives the right array, and it is wrong: one `__syncthreads()`
// is missing. Behind which line does it belong? Write the number of that line below, and change nothing else.
//
// Check it:  cargo run --example exercise -- 2.4
// A hint:    cargo run --example exercise -- hint 2.4

// The answer: line 0;

extern "C" __global__ void turnAround(int *g_data, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    int mine = 0;
    if (tid < size) {
        mine = g_data[tid];
    }
    if (tid < size) {
        g_data[size - 1 - tid] = mine;
    }
}
