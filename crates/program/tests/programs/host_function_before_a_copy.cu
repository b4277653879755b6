// A function of the host fills pinned memory in a stream, and what comes after it there reads it.
// The stream orders the two.
#include <cstdio>

static int *buffer;
static const int n = 1000;

void fill(void *)
{
    for (int i = 0; i < n; i++) {
        buffer[i] = i + 1;
    }
}

__global__ void twice(int *numbers, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        numbers[i] *= 2;
    }
}

int main()
{
    int *numbers;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&buffer, n * sizeof(int));
    cudaMalloc(&numbers, n * sizeof(int));
    cudaLaunchHostFunc(stream, fill, nullptr);
    cudaMemcpyAsync(numbers, buffer, n * sizeof(int), cudaMemcpyHostToDevice, stream);
    twice<<<(n + 255) / 256, 256, 0, stream>>>(numbers, n);
    cudaMemcpyAsync(buffer, numbers, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        wrong += buffer[i] != 2 * (i + 1);
    }
    printf("%d wrong\n", wrong); // prints: 0 wrong
    cudaFree(numbers);
    cudaFreeHost(buffer);
    cudaStreamDestroy(stream);
    return wrong != 0;
}
