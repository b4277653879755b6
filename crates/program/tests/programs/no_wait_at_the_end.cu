// What a kernel prints is lost if main ends before.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void hello()
{
    printf("hello from thread %d\n", threadIdx.x);
}

int main()
{
    hello<<<1, 4>>>(); // expect: error host-access
    return 0;
}
