extern "C" __global__ void turnAround(const int *input, int *results, int n)
{
    __shared__ int tile[1024]; // one for each block
    int t = threadIdx.x;
    int first = blockIdx.x * blockDim.x; // the block's first number
    int count = min(n - first, (int)blockDim.x); // how many it has
    if (t < count) {
        tile[t] = input[first + t];
    }
    //@ begin
    __syncthreads(); // the tile is filled
    if (t < count) {
        results[first + t] = tile[count - 1 - t];
    }
    //@ stub
    //| if (t < count) {
    //|     results[first + t] = tile[t];
    //| }
    //@ end
}
