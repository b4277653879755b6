//@ begin
// The answer: too narrow 4;
// The answer: first 3;
//@ stub
//| // The answer: too narrow ?;
//| // The answer: first ?;
//@ end

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
