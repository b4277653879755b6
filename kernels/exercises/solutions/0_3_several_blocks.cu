extern "C" __global__ void twice(const int *input, int *results, int n)
{
    //@ begin
    int i = blockIdx.x * blockDim.x + threadIdx.x; // all blocks before, then the place in this one
    //@ stub
    //| int i = threadIdx.x;
    //@ end
    if (i < n) {
        results[i] = 2 * input[i];
    }
}
