// Exercise 4.2: What the child sees
//
// A fire-and-forget child may start at once, beside its parent. It sees memory as the launching thread sees
// it at that moment. Here the child starts too early: it reads sums that other threads of the parent have yet
// to write. Make sure that the child sees all of them. Keep it a fire-and-forget launch.
//
// The host launches `reduceForget(data, partials, n)` with as many blocks as give each of the `n` numbers
// a thread.
// Each block leaves its result in `partials`, and the host adds them up.
//
// You learn what a child is guaranteed to see of its parent's work. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 4.2
// A hint:    cargo run --example exercise -- hint 4.2

extern "C" __global__ void reduceForget(unsigned int *g_idata, unsigned int *g_odata, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * blockDim.x;
    unsigned int count = first < size ? min(blockDim.x, size - first) : 0;
    unsigned int *idata = g_idata + first;
    unsigned int *odata = g_odata + blockIdx.x;
    if (count <= 1) {
        if (tid == 0) {
            *odata = count == 1 ? idata[0] : 0;
        }
        return;
    }
    unsigned int half = (count + 1) / 2;
    if (tid + half < count) {
        idata[tid] += idata[tid + half];
    }
    if (tid == 0) { // one child per block
        reduceForget<<<1, half, 0, cudaStreamFireAndForget>>>(idata, odata, half);
    }
}
