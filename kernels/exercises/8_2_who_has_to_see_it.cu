// Exercise 8.2: Who has to see it?
//
// The GPUs of a machine add up one array, each its share. `total` and `ticket` lie in the memory of the GPU
// that runs the block. `sum` and `arrived` lie in the memory of GPU 0, and all GPUs use them. `g_odata` lies
// in the memory of the host, which looks at `done` until it is 1. The atomics and fences in the lines A to F
// have the scope of one GPU. In which of them is that too narrow, so that they have to be `atomicAdd_system`
// or `__threadfence_system`? Write how many there are, and the position of the first one (A is 1, B is 2, and
// so on). Change nothing else.
//
// You learn to choose the scope of an atomic and of a fence. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 8.2
// A hint:    cargo run --example exercise -- hint 8.2

// The answer: too narrow ?;
// The answer: first ?;

__device__ unsigned int sum, arrived, done; // here there is one GPU, so they lie in its memory
constexpr unsigned int GPUS = 1;

extern "C" __global__ void reduceAcross(const unsigned int *g_idata, unsigned int *total,
                                        unsigned int *ticket, unsigned int *g_odata, unsigned int size)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        atomicAdd(total, g_idata[i]);
    }
    __syncthreads();
    if (threadIdx.x > 0) {
        return;
    }
    __threadfence();                                  // A: the total before the ticket
    if (atomicAdd(ticket, 1) < gridDim.x - 1) {       // B
        return;
    }
    __threadfence();
    atomicAdd(&sum, *(volatile unsigned int *)total); // C: the total of this GPU
    __threadfence();                                  // D: the sum before the count
    if (atomicAdd(&arrived, 1) == GPUS - 1) {         // E
        __threadfence_system();
        *g_odata = atomicExch_system(&sum, 0);
        arrived = 0;
        __threadfence();                              // F: the result before the word that the host looks at
        *(volatile unsigned int *)&done = 1;
    }
}
