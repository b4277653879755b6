// What has waited for the streams before an event has not waited for the event. Afterwards it has.
#include <cstdio>
__global__ void add(float *a)
{
    a[threadIdx.x] += 1;
}
int main()
{
    float *a;
    float milliseconds = 0;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaMalloc(&a, 32 * sizeof(float));
    cudaMemset(a, 0, 32 * sizeof(float));
    cudaStreamCreate(&stream);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    add<<<1, 32, 0, stream>>>(a);
    cudaEventRecord(end);
    cudaStreamSynchronize(stream);
    printf("%d ", cudaEventElapsedTime(&milliseconds, begin, end)); // expect: warning host-access
    float all[32];
    cudaMemcpy(all, a, sizeof(all), cudaMemcpyDeviceToHost);
    printf("%d ", cudaEventElapsedTime(&milliseconds, begin, end));
    cudaEventRecord(end, stream);
    cudaEventSynchronize(end);
    printf("%d ", cudaEventElapsedTime(&milliseconds, begin, end));
    cudaEventRecord(end, stream);
    cudaDeviceSynchronize();
    printf("%d ", cudaEventElapsedTime(&milliseconds, begin, end));
    cudaEventRecord(end, stream);
    cudaStreamSynchronize(stream);
    printf("%d\n", cudaEventElapsedTime(&milliseconds, begin, end)); // prints: 600 0 0 0 0
    cudaStreamDestroy(stream);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(a);
}
