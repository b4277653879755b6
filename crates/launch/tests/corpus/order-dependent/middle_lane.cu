// Three lanes write to one word in one instruction. From the first on and from the last on, a 7 stays; the 9
// only if the middle lane comes last.
//@ launch write<<<1, 3>>> buf:u32:0
// in some orders
extern "C" __global__ void write(unsigned *word)
{
    atomicExch(word, threadIdx.x == 1 ? 9 : 7);  // expect: order-dependent
}
