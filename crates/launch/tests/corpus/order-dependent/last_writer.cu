// Every block leaves its number in one word by an atomic: the last one stays.
//@ launch leave<<<3, 32>>> buf:u32:0
// in some orders
extern "C" __global__ void leave(unsigned *word)
{
    if (threadIdx.x == 0)
        atomicExch(word, blockIdx.x + 1);  // expect: order-dependent
}
