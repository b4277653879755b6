// Device code of CUDA before version 12: a parent waits for its children with cudaDeviceSynchronize. nvcc 13
// refuses it; NVRTC 12.9 (wheels nvidia-cuda-nvrtc-cu12 and nvidia-cuda-runtime-cu12) still compiles it, with
//   --gpu-architecture=compute_70 -rdc=true -lineinfo -DCUDA_FORCE_CDP1_IF_SUPPORTED -I<its includes>
// The paths in the `.file` lines have been cut to what stands in the repository.
#include <cuda_runtime.h>
#include <cuda_device_runtime_api.h>

extern "C" __global__ void addOne(int* data)
{
    data[threadIdx.x] += 1;
}

// Each round the parent reads what its children have written.
extern "C" __global__ void rounds(int* data, int* out, int n)
{
    for (int round = 0; round < n; round++) {
        if (threadIdx.x == 0) {
            addOne<<<1, 32>>>(data);
            addOne<<<1, 32>>>(data);
            cudaDeviceSynchronize();
            out[round] = data[0] + data[31];
        }
        __syncthreads();
    }
    out[n + threadIdx.x] = data[threadIdx.x];
}

// The textbook's nested reduction: halves the sum's terms, launches itself, waits.
extern "C" __global__ void nestedSum(int* data, int* out, unsigned size)
{
    if (size == 1) {
        if (threadIdx.x == 0)
            out[0] = data[0];
        return;
    }
    unsigned half = size / 2;
    if (threadIdx.x < half)
        data[threadIdx.x] += data[threadIdx.x + half];
    __syncthreads();
    if (threadIdx.x == 0) {
        nestedSum<<<1, half>>>(data, out, half);
        cudaDeviceSynchronize();
    }
    __syncthreads();
}

// Every level launches the next, waits and notes what the wait returned, then what the level below has left.
extern "C" __global__ void waitsAtEveryDepth(int* errors, int* out, int depth)
{
    int below = 0;
    if (depth > 0) {
        waitsAtEveryDepth<<<1, 1>>>(errors + 1, out + 1, depth - 1);
        errors[0] = cudaDeviceSynchronize(); // expect: launch-limit
        errors[0] += 1000 * cudaGetLastError();
        below = out[1]; // expect: child-visibility
    }
    out[0] = below + 1;
}

extern "C" __global__ void count(int* counter)
{
    atomicAdd(counter, 1);
}

// More launches than may be pending: each thread of the block has a child.
extern "C" __global__ void launchOfEachThread(int* counter, int* errors)
{
    count<<<1, 1>>>(counter);
    if (cudaGetLastError() != cudaSuccess)
        atomicAdd(errors, 1);
    cudaDeviceSynchronize();
    if (*(volatile int*)counter < (int)blockDim.x)
        atomicAdd(errors, 1);
}
