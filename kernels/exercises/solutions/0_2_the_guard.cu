extern "C" __global__ void twice(const int *input, int *results, int n)
{
    int i = threadIdx.x;
    //@ begin
    if (i < n) {
        results[i] = 2 * input[i];
    }
    //@ stub
    //| results[i] = 2 * input[i];
    //@ end
}
