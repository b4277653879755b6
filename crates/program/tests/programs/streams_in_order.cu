// Streams, events, managed and page-locked memory, symbols and a graph, all in order: nothing is wrong.
#include <stdio.h>
#include <cuda_runtime.h>

__constant__ int factor;
__device__ int total;

__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

__global__ void scale(int *data)
{
    data[threadIdx.x] *= factor;
}

__global__ void add(const int *data)
{
    atomicAdd(&total, data[threadIdx.x]);
}

int main()
{
    int *data;
    int *host;
    int *managed;
    cudaStream_t first;
    cudaStream_t second;
    cudaEvent_t filled;
    cudaStreamCreate(&first);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreate(&filled);
    cudaMalloc(&data, 32 * sizeof(int));
    cudaMallocHost(&host, 32 * sizeof(int));
    cudaMallocManaged(&managed, 32 * sizeof(int));
    int three = 3;
    int zero = 0;
    cudaMemcpyToSymbol(factor, &three, sizeof three);
    cudaMemcpyToSymbol(total, &zero, sizeof zero);

    fill<<<1, 32, 0, first>>>(data);
    cudaEventRecord(filled, first);
    cudaStreamWaitEvent(second, filled, 0);
    scale<<<1, 32, 0, second>>>(data);
    cudaMemcpyAsync(host, data, 32 * sizeof(int), cudaMemcpyDeviceToHost, second);
    cudaStreamSynchronize(second);
    printf("%d\n", host[31]); // prints: 93

    for (int i = 0; i < 32; ++i)
        managed[i] = i;
    scale<<<1, 32>>>(managed);
    add<<<1, 32>>>(managed);
    cudaDeviceSynchronize();
    int sum;
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    printf("%d %d\n", managed[2], sum); // prints: 6 1488

    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    scale<<<1, 32, 0, first>>>(managed);
    add<<<1, 32, 0, first>>>(managed);
    cudaStreamEndCapture(first, &graph);
    cudaGraphInstantiate(&executable, graph, NULL, NULL, 0);
    cudaGraphLaunch(executable, first);
    cudaGraphLaunch(executable, first);
    cudaStreamSynchronize(first);
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    printf("%d %d\n", managed[2], sum); // prints: 54 19344

    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaEventDestroy(filled);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(data);
    cudaFree(managed);
    cudaFreeHost(host);
    return 0;
}
