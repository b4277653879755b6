// Who gets which ticket depends on the order; what is left does not: each number is marked once.
//@ launch mark<<<2, 32>>> buf:u32:0 buf:u32:zeros*64
//@ expect 1 = u32:1*64
// expect: clean
extern "C" __global__ void mark(unsigned *ticket, unsigned *marks)
{
    marks[atomicAdd(ticket, 1)] = 1;
}
