// Exercise 4.3: Where it ends
//
// A recursion needs a base case that launches nothing. This one has none: it halves one element to one
// element, and goes on. Give it a base case, for one element and for none, that writes the result.
//
// The host launches `reduceLevels(data, out, n)` with as many blocks as give each of the `n` numbers a
// thread.
//
// You learn what the base case of a kernel that launches itself has to do. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 4.3
// A hint:    cargo run --example exercise -- hint 4.3

extern "C" __global__ void reduceLevels(unsigned int *g_data, unsigned int *g_odata, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int half = (size + 1) / 2;
    if (i + half < size) {
        g_data[i] += g_data[i + half];
    }
    if (i == 0) {
        unsigned int blocks = (half + blockDim.x - 1) / blockDim.x;
        reduceLevels<<<blocks, blockDim.x, 0, cudaStreamTailLaunch>>>(g_data, g_odata, half);
    }
}
