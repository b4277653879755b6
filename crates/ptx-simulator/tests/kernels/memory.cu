// Where variables lie, and what they hold at first.
#include <cuda_runtime.h>

// Static arrays, and dynamic ones behind them, which all start at one place.
extern "C" __global__ void sharedLayout(int* out, int n)
{
    __shared__ char bytes[5];
    __shared__ double doubles[3];
    extern __shared__ int dynamic[];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 5; i++)
            bytes[i] = (char)(i + 1);
        for (int i = 0; i < 3; i++)
            doubles[i] = i + 0.5;
        for (int i = 0; i < n; i++)
            dynamic[i] = 1000 + i;
        int sum = 0;
        for (int i = 0; i < 5; i++)
            sum += bytes[i];
        out[0] = sum;
        out[1] = (int)(doubles[0] + doubles[1] + doubles[2]);
        out[2] = dynamic[n - 1];
        // None of them overlaps another, and each is aligned.
        out[3] = (size_t)doubles % 8 == 0 && (size_t)dynamic % 16 == 0 && (void*)dynamic >= doubles + 3;
        unsigned size;
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
        out[4] = size;
    }
}

static __device__ __noinline__ int sumOfDynamic(int n)
{
    extern __shared__ int dynamic[];
    __shared__ int scratch[4];
    scratch[threadIdx.x % 4] = n;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += dynamic[i];
    return sum + scratch[threadIdx.x % 4];
}

// A device function sees the same dynamic memory, whatever static memory the kernel has besides.
extern "C" __global__ void sharedInAFunction(int* out, int n)
{
    __shared__ int mine[10];
    extern __shared__ int dynamic[];
    mine[threadIdx.x % 10] = 5;
    dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = sumOfDynamic(n) * 100 + mine[threadIdx.x % 10];
}

extern "C" __global__ void sharedInAFunctionAlone(int* out, int n)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = 2 * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = sumOfDynamic(n);
}

// An array with an index that is known only at run time lies in local memory.
extern "C" __global__ void localArray(const int* in, int* out)
{
    int values[16];
    for (int i = 0; i < 16; i++)
        values[i] = i * i + threadIdx.x;
    for (int i = 0; i < 4; i++)
        values[in[4 * threadIdx.x + i]] += 1000;
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum = sum * 3 + values[(i + in[0]) % 16];
    out[threadIdx.x] = sum;
}

static __device__ __noinline__ int depth(int n, int* path)
{
    int here[3] = {n, 2 * n, 3 * n};
    path[n % 8] += here[n % 3];
    return n == 0 ? 0 : here[n % 3] + depth(n - 1, path);
}

// Every call has local memory of its own; a pointer to the caller's reaches it.
extern "C" __global__ void recursion(int* out)
{
    int path[8] = {};
    int sum = depth(threadIdx.x, path);
    for (int i = 0; i < 8; i++)
        sum += path[i] * (i + 1);
    out[threadIdx.x] = sum;
}

static __device__ __noinline__ int whoAmI(int base)
{
    return base + threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y
        + 100000 * blockIdx.z;
}

// Blocks and threads in three dimensions, seen from the kernel and from a function.
extern "C" __global__ void places(int* kernel, int* function)
{
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int i = block * blockDim.x * blockDim.y * blockDim.z + thread;
    kernel[i] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y
        + 100000 * blockIdx.z;
    function[i] = whoAmI(0);
}

typedef int (*Operation)(int, int);
static __device__ int plus(int a, int b) { return a + b; }
static __device__ int times(int a, int b) { return a * b; }
static __device__ int minus(int a, int b) { return a - b; }
__device__ Operation operations[3] = {plus, times, minus};

// Neighbouring lanes call different functions through pointers.
extern "C" __global__ void functionPointers(const int* in, int* out)
{
    out[threadIdx.x] = operations[in[threadIdx.x] % 3](in[threadIdx.x], 10);
}

struct Shape {
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    __device__ Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
struct Strip : Shape {
    int length;
    __device__ Strip(int length) : length(length) {}
    __device__ int area() const override { return length; }
};

extern "C" __global__ void virtualFunctions(const int* in, int* out)
{
    Square square(in[threadIdx.x]);
    Strip strip(in[threadIdx.x]);
    const Shape* shapes[2] = {&square, &strip};
    out[threadIdx.x] = shapes[in[threadIdx.x] & 1]->area();
}

struct Record {
    char name[4];
    short number;
    double weight;
};
__device__ Record records[2] = {{"one", 1, 1.5}, {"two", -2, 2.5}};
__device__ int counter = 7;
__device__ int empty[3];
__device__ int* pointer = &empty[1];
__constant__ float weights[4] = {0.5f, 1.5f, -2.0f, 8.0f};
__constant__ const char* const words[2] = {"left", "right"};

// Variables with what they start with; a second launch sees what the first has left.
extern "C" __global__ void variables(int* out, float* scaled)
{
    const Record& record = records[threadIdx.x % 2];
    out[4 * threadIdx.x] = record.name[1];
    out[4 * threadIdx.x + 1] = record.number;
    out[4 * threadIdx.x + 2] = (int)(record.weight * 10);
    out[4 * threadIdx.x + 3] = words[threadIdx.x % 2][0];
    scaled[threadIdx.x] = weights[threadIdx.x] * 2;
    if (threadIdx.x == 0) {
        out[16] = counter++;
        out[17] = empty[0] + empty[2];
        out[18] = ++*pointer;
    }
}
