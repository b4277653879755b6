extern "C" __global__ void addFirst(const int *input, int *results, int n)
{
    __shared__ int head; // one for each block
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    //@ begin
    if (threadIdx.x == 0) {
        head = input[i];
    }
    __syncthreads(); // the block's first number is there
    //@ stub
    //| if (threadIdx.x == 0) {
    //|     head = input[i];
    //|     __syncthreads();
    //| }
    //@ end
    if (i < n) {
        results[i] = input[i] + head;
    }
}
