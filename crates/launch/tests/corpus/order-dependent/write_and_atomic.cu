// One block writes a volatile word, and another one exchanges it by an atomic: nothing orders the two.
//@ launch change<<<2, 32>>> buf:u32:0
// in some orders
extern "C" __global__ void change(unsigned *word)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
        atomicExch(word, 1);  // expect-also: order-dependent
    else
        *(volatile unsigned *)word = 2;  // expect: order-dependent "orders"
}
