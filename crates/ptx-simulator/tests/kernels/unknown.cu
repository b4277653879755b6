// Instructions that the simulator does not know. The other kernels of the file run all the same.
#include <cuda_runtime.h>

static __device__ __forceinline__ unsigned difference(unsigned a, unsigned b)
{
    unsigned d;
    asm("vabsdiff.u32.u32.u32.sat %0, %1, %2;"
        : "=r"(d) : "r"(a), "r"(b)); // expect: unsupported-instruction
    return d;
}

extern "C" __global__ void known(unsigned* out)
{
    out[threadIdx.x] = threadIdx.x + 1;
}

extern "C" __global__ void unknownInstruction(unsigned* out)
{
    out[threadIdx.x] = difference(out[threadIdx.x], 1);
}

static __device__ __noinline__ unsigned inAFunction(unsigned a)
{
    return difference(a, 2);
}

extern "C" __global__ void unknownInAFunction(unsigned* out)
{
    out[threadIdx.x] = inAFunction(out[threadIdx.x]);
}

__device__ unsigned (*pointer)(unsigned) = inAFunction;

extern "C" __global__ void unknownBehindAPointer(unsigned* out)
{
    out[threadIdx.x] = pointer(out[threadIdx.x]);
}

