extern "C" __global__ void withNeighbours(const int *input, int *results, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        //@ begin
        int left = i > 0 ? input[i - 1] : 0;
        int right = i + 1 < n ? input[i + 1] : 0;
        //@ stub
        //| int left = input[i - 1];
        //| int right = input[i + 1];
        //@ end
        results[i] = left + input[i] + right;
    }
}
