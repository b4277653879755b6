// Kernels that launch kernels, and the order in which they run. Every grid notes itself in a log.
#include <cuda_runtime.h>

struct Log {
    unsigned length;
    int entries[255];
};

static __device__ void note(Log* log, int what)
{
    log->entries[atomicAdd(&log->length, 1)] = what;
}

extern "C" __global__ void child(Log* log, int what)
{
    if (threadIdx.x == 0)
        note(log, what);
}

// Children of one block in the default stream run in the order of their launches.
extern "C" __global__ void inOrder(Log* log, int children)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < children; i++)
            child<<<1, 32>>>(log, i);
    __syncthreads();
    if (threadIdx.x == 40)
        child<<<1, 32>>>(log, children);
}

extern "C" __global__ void fireAndForget(Log* log, int children)
{
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(log, blockIdx.x * blockDim.x + threadIdx.x);
}

// 1: the parent; then its tails, 2 with all that follows from it, before 3.
extern "C" __global__ void tailOfATail(Log* log, int what)
{
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(log, what + 2);
    child<<<1, 1>>>(log, what + 1);
    note(log, what);
}

extern "C" __global__ void tails(Log* log)
{
    tailOfATail<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 20);
    child<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 30);
    child<<<1, 1>>>(log, 10);
    note(log, 1);
}

// Two streams of a block: each in order, and no order between them.
extern "C" __global__ void namedStreams(Log* log)
{
    cudaStream_t one, two;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    for (int i = 0; i < 4; i++) {
        child<<<1, 1, 0, one>>>(log, 10 + i);
        child<<<1, 1, 0, two>>>(log, 20 + i);
    }
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}

// A recursion over levels, one tail launch each: the sum of 1 to n in out[0].
extern "C" __global__ void countDown(int n, int* out)
{
    if (threadIdx.x == 0) {
        out[0] += n;
        if (n > 1)
            countDown<<<1, 32, 0, cudaStreamTailLaunch>>>(n - 1, out);
    }
}

// A tail launch sees what its parent has written, whoever of it.
extern "C" __global__ void sumUp(const int* values, int n, int* out)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[i];
    *out = sum;
}

extern "C" __global__ void writeThenSum(int* values, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = i;
    if (i == 0)
        sumUp<<<1, 1, 0, cudaStreamTailLaunch>>>(values, gridDim.x * blockDim.x, out);
}

// What a thread learns of its launches.
extern "C" __global__ void refused(Log* log, int* errors, int threads)
{
    child<<<1, threads>>>(log, 1);
    errors[0] = cudaPeekAtLastError();
    errors[1] = cudaGetLastError();
    errors[2] = cudaGetLastError();
    child<<<1, 1, 1 << 20>>>(log, 2);
    errors[3] = cudaGetLastError();
    child<<<1, 1>>>(log, 3);
    errors[4] = cudaGetLastError();
}

// More launches than may wait: each thread counts those that were refused.
extern "C" __global__ void tooMany(Log* log, unsigned* dropped)
{
    child<<<1, 1, 0, cudaStreamFireAndForget>>>(log, threadIdx.x);
    if (cudaGetLastError() == cudaErrorLaunchPendingCountExceeded)
        atomicAdd(dropped, 1);
}

struct Point {
    double x;
    char tag;
    short rank;
};

extern "C" __global__ void takesManyKinds(char a, Point p, int b, double* out, float c)
{
    out[0] = a + p.x + p.tag + p.rank + b + c;
}

extern "C" __global__ void givesManyKinds(double* out)
{
    Point p = {0.5, 2, 300};
    takesManyKinds<<<1, 1>>>(1, p, 40000, out, 0.25f);
}

// The child goes out of bounds: it is to blame.
extern "C" __global__ void faultyChild(int* data, int n)
{
    data[n + threadIdx.x] = 1; // expect: out-of-bounds
}

extern "C" __global__ void faultyFamily(int* data, int n)
{
    faultyChild<<<1, 32>>>(data, n);
}

// Rounded up, the half of 1 is 1.
extern "C" __global__ void halveForEver(int n)
{
    if (n > 0 && threadIdx.x == 0)
        halveForEver<<<1, 32, 0, cudaStreamTailLaunch>>>((n + 1) / 2); // for ever
}
