extern "C" __global__ void countOdd(const int *input, int *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && input[i] % 2 == 1) {
        //@ begin
        atomicAdd(total, 1);
        //@ stub
        //| *total = *total + 1;
        //@ end
    }
}
