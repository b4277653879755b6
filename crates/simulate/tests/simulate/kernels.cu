// The kernels that crates/simulate/tests/simulate/main.rs gives to `cargo run --example simulate`.

#include <cstdio>

// A number of every type: what arrives.
extern "C" __global__ void numbers(signed char a, unsigned char b, short c, unsigned short d, int e,
                                   unsigned f, long long g, unsigned long long h, float x, double y,
                                   long long *whole, double *real)
{
    whole[0] = a, whole[1] = b, whole[2] = c, whole[3] = d;
    whole[4] = e, whole[5] = f, whole[6] = g, whole[7] = h;
    real[0] = x, real[1] = y;
}

// Bytes as they are.
extern "C" __global__ void copy(const unsigned char *in, unsigned char *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// Thread t reads element t * stride.
extern "C" __global__ void strided(const int *in, int *out, unsigned stride)
{
    out[threadIdx.x] = in[threadIdx.x * stride];
}

// The launch as the kernel sees it.
extern "C" __global__ void shape(unsigned *out)
{
    extern __shared__ unsigned scratch[];
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    scratch[0] = bytes;
    out[0] = gridDim.x, out[1] = gridDim.y, out[2] = gridDim.z;
    out[3] = blockDim.x, out[4] = blockDim.y, out[5] = blockDim.z;
    out[6] = scratch[0];
}

// missing_barrier.cu with its barrier.
extern "C" __global__ void sum(const int *in, int *out)
{
    __shared__ int partial[64];
    unsigned t = threadIdx.x;
    partial[t] = in[t];
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride)
            partial[t] += partial[t + stride];
        __syncthreads();
    }
    if (t == 0)
        *out = partial[0];
}

// One index too far.
extern "C" __global__ void beyond(int *data)
{
    data[threadIdx.x + 1] = 7;
}

extern "C" __global__ void hello(int number)
{
    printf("thread %d of %d says %d\n", threadIdx.x, blockDim.x, number);
}

struct Three
{
    int a, b, c;
};

extern "C" __global__ void structure(Three three, int *out)
{
    *out = three.a + three.b + three.c;
}

// Not extern "C": PTX has its types in its name.
__global__ void plain(int *out)
{
    *out = 1;
}
__global__ void twice(int *out)
{
    *out = 2;
}
__global__ void twice(float *out)
{
    *out = 2;
}

// The first block writes before it takes the ticket, the second reads behind: ordered only if the first was
// first.
extern "C" __global__ void orderedByChance(int *data, int *ticket, int *out)
{
    if (blockIdx.x == 0) {
        *data = 1;
        __threadfence();
        atomicAdd(ticket, 1);
    } else {
        atomicAdd(ticket, 1);
        __threadfence();
        *out = *data;
    }
}

// A template that nobody instantiates.
template <typename T> __global__ void filled(T *out, T value)
{
    out[threadIdx.x] = value;
}

// A tile in two dimensions, of which one element has been written.
#define ROWS 4
extern "C" __global__ void tiled(int *out, int row, int column, int does)
{
    __shared__ int tile[ROWS][3];
    if (threadIdx.x == 0)
        tile[0][0] = 1;
    __syncthreads();
    if (does == 'l')
        out[threadIdx.x] = tile[row][column];
    if (does == 's')
        tile[row][column] = threadIdx.x;
    if (does == 'a')
        atomicAdd(&tile[row][column], 1);
}

// The block that comes last leaves its number, and a later launch goes by it.
extern "C" __global__ void lastBlock(unsigned *last)
{
    if (threadIdx.x == 0)
        atomicExch(last, blockIdx.x);
}
extern "C" __global__ void atLast(const unsigned *last, int *out)
{
    if (threadIdx.x == 0)
        out[*last - 1] = 1;
}

// Three launches whose shape or index is wrong.
extern "C" __global__ void sameInEveryBlock(int *out)
{
    out[threadIdx.x] = blockIdx.x;
}
extern "C" __global__ void plane(int *out, int width)
{
    out[threadIdx.y * width + threadIdx.x] = 1;
}
extern "C" __global__ void byAWarp(int *out)
{
    out[threadIdx.x] = __shfl_down_sync(0xffffffff, (int)threadIdx.x, 32);
}

// Of a block that is no multiple of 32 threads.
extern "C" __global__ void sumOfLanes(const float *in, float *out)
{
    __shared__ float sums[2];
    float sum = in[threadIdx.x];
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, apart);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sums[0] + sums[1];
}

// A scan in a block of which only the first `length` threads have elements.
extern "C" __global__ void scanOfSome(const int *in, int *out, int length)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t < length ? in[t] : 0;
    __syncthreads();
    for (int distance = 1; distance < 64; distance *= 2) {
        int before = t >= distance ? s[t - distance] : 0;
        __syncthreads();
        s[t] += before;
        __syncthreads();
    }
    if (t < length)
        out[t] = s[t];
}
