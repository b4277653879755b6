extern "C" __global__ void twice(const int *input, int *results, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    //@ begin
    for (int i = first; i < n; i += gridDim.x * blockDim.x) {
        results[i] = 2 * input[i];
    }
    //@ stub
    //| if (first < n) {
    //|     results[first] = 2 * input[first];
    //| }
    //@ end
}
