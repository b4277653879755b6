#include <cstdio>

__global__ void fill(int *data, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = value; // expect: error data-race
}

__global__ void twice(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2; // expect: error data-race
}

int main() {
    const int n = 64;
    int *d_a, *d_b, *d_c, a[n];
    cudaMalloc(&d_a, n * sizeof(int));
    cudaMalloc(&d_b, n * sizeof(int));
    cudaMalloc(&d_c, n * sizeof(int));
    cudaMemset(d_a, 0, n * sizeof(int));
    cudaMemset(d_b, 0, n * sizeof(int));
    cudaMemset(d_c, 0, n * sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);

    // The host waits for the second stream, and the first one's kernel may still be under way.
    twice<<<1, n, 0, first>>>(d_a, n);
    fill<<<1, n, 0, second>>>(d_b, n, 1);
    cudaStreamSynchronize(second);
    fill<<<1, n, 0, second>>>(d_a, n, 2);
    cudaStreamSynchronize(second);
    cudaStreamSynchronize(first);

    // The same of a copy: cudaMemcpy waits for its own stream only.
    fill<<<1, n, 0, first>>>(d_b, n, 3);
    cudaMemcpy(a, d_b, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(first);

    // An event that is recorded twice: who waited before the second record saw the first.
    cudaEvent_t event;
    cudaEventCreate(&event);
    fill<<<1, n, 0, first>>>(d_c, n, 4);
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event);
    fill<<<1, n, 0, first>>>(d_b, n, 5);
    cudaEventRecord(event, first);
    twice<<<1, n, 0, second>>>(d_c, n);
    cudaStreamWaitEvent(second, event);
    twice<<<1, n, 0, second>>>(d_b, n);
    cudaEventSynchronize(event);
    cudaMemcpyAsync(a, d_b, n * sizeof(int), cudaMemcpyDeviceToHost, second);
    cudaStreamSynchronize(second);
    printf("%d\n", a[0]); // prints: 10
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaEventDestroy(event);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return 0;
}
