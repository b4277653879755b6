// Exercise 4.4: Fewer levels
//
// A nested level costs far more than its additions. Halving 100,003 numbers takes 17 levels. Let each level
// leave a quarter instead of a half: a thread adds up to three numbers to its own. Even less than a quarter
// is right too.
//
// The host launches `reduceQuarters(data, out, n)` with as many blocks as give each of the `n` numbers a
// thread.
// Goal: at most 9 device launches at n = 100,003, 256 threads per block.
//
// You learn to trade more work per level for fewer launches. About 15 minutes.
//
// Check it:  cargo run --example exercise -- 4.4
// A hint:    cargo run --example exercise -- hint 4.4

extern "C" __global__ void reduceQuarters(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (size <= 1) {
        if (i == 0) {
            *g_odata = size == 1 ? g_data[0] : 0;
        }
        return;
    }
    unsigned int part = (size + 1) / 2;
    if (i + part < size) {
        g_data[i] += g_data[i + part];
    }
    if (i == 0) {
        unsigned int blocks = (part + blockDim.x - 1) / blockDim.x;
        reduceQuarters<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_odata, part);
    }
}
