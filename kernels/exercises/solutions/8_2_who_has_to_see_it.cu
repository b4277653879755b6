// 8.2 Who has to see it?
//
// The GPUs of a machine add up one array, each its share. `total` and `ticket` lie in the memory of the GPU
// that runs the block. `sum` and `arrived` lie in the memory of GPU 0, and all GPUs use them. `g_odata` lies
// in the memory of the host, which looks at `done` until it is 1. The atomics and fences in the lines A to F
// have the scope of one GPU. In which of them is that too narrow, so that they have to be `atomicAdd_system`
// or `__threadfence_system`? Write how many there are, and the position of the first one (A is 1, B is 2, and
// so on). Change nothing else.
//
//@ learn to choose the scope of an atomic and of a fence
//@ minutes 10
//@ launch reduceAcross<<<n/block, block>>> @input @total @ticket @out u32:n
//@ result out
//@ answer too narrow: given 4
//@ slip too narrow: 6 That is safe, and slow: what the blocks of one GPU share never leaves it.
//@ slip too narrow: 2 These are the atomics. What good is it to see a count, if the sum that belongs to it is
//@      not there?
//@ slip too narrow: 3 Who reads `g_odata`?
//@ slip too narrow: 5 One of them concerns only blocks of the same GPU.
//@ answer first: given 3
//@ slip first: 1 `total` is in this GPU's memory, and only its own blocks read it.
//@ slip first: 2 The ticket belongs to this GPU. So does whoever has to see the total before it.
//@ hint For each line ask: which threads have to see this, or the order of these two? Are they all on one
//@      GPU?
//@ hint A fence is about two writes, and about who looks for the second to learn that the first is there.
//@ hint The host is no GPU. Only the scope of the system includes it.
//@ think wrong-number: Who looks at what this line writes: a block of the same GPU, another GPU, or the host?
//@ why Why not write `_system` everywhere?
//@ because It would be right, and slower. A fence of that scope waits until its writes can be seen by all
//@      GPUs and the host, and with one in every block, every block waits.
//@ mutant all-of-them: wrong-number
//@ - too narrow 4;
//@ + too narrow 6;
//@ mutant atomics-alone: wrong-number
//@ - too narrow 4;
//@ + too narrow 2;
//@ mutant from-the-start: wrong-number
//@ - first 3;
//@ + first 1;

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
