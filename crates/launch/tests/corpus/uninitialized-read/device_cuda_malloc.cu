// Every thread has memory of its own from the device runtime, of which its child reads an element that nobody
// has written.
//@ launch scratch<<<1, 4>>> buf:i32:uninit*4

extern "C" __global__ void add(int *own, int *out)
{
    *out = own[0] + own[1];  // expect: uninitialized-read
    cudaFree(own);
}

extern "C" __global__ void scratch(int *out)
{
    int *own;
    if (cudaMalloc((void **)&own, 2 * sizeof(int)) != cudaSuccess)
        return;
    own[0] = threadIdx.x;
    add<<<1, 1>>>(own, out + threadIdx.x);
}
