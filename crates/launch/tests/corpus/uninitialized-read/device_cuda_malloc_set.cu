// Every thread has memory of its own from the device runtime, sets it, and its child writes there.
//@ launch scratch<<<2, 4>>> buf:i32:uninit*8
// expect: clean
//@ expect 0 = i32:7,7,7,7,7,7,7,7

extern "C" __global__ void add(int *own, int *out)
{
    *out = own[0] + own[1] + 7;
    cudaFree(own);
}

extern "C" __global__ void scratch(int *out)
{
    int *own;
    if (cudaMalloc((void **)&own, 2 * sizeof(int)) != cudaSuccess)
        return;
    cudaMemsetAsync(own, 0, 2 * sizeof(int), 0);
    add<<<1, 1>>>(own, out + blockIdx.x * blockDim.x + threadIdx.x);
}
