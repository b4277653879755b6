extern "C" __global__ void twice(const int *input, int *results)
{
    //@ begin
    int i = threadIdx.x; // every thread has its own
    results[i] = 2 * input[i];
    //@ stub
    //| // Write here what one thread does.
    //@ end
}
