// A captured copy reads what the captured kernel before it writes; and abs() of a float is a float.
#include <stdio.h>
#include <cuda_runtime.h>

__global__ void halves(float *out)
{
    out[threadIdx.x] = threadIdx.x / 2.0f;
}

int main()
{
    float *result, *d_result, largest = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t launchable;
    cudaStreamCreate(&stream);
    cudaMallocHost(&result, 32 * sizeof(float));
    cudaMalloc(&d_result, 32 * sizeof(float));
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    halves<<<1, 32, 0, stream>>>(d_result);
    cudaMemcpyAsync(result, d_result, 32 * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&launchable, graph, 0);
    cudaGraphLaunch(launchable, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < 32; i++)
        largest = max(largest, abs(result[i] - 15));
    printf("%g %g\n", largest, abs(-0.5f)); // prints: 15 0.5
    cudaGraphExecDestroy(launchable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFreeHost(result);
    cudaFree(d_result);
    return 0;
}
