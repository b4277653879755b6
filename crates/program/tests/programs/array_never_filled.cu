// The check of the post of 2020: both sides add up the same array, and the loop fills one element of it.
//
//     nvcc -arch=native -o array_never_filled array_never_filled.cu && ./array_never_filled
// prints: the CPU says -336860174, the GPU -336860174
#include <cstdio>
#include <cstdlib>

int cpuRecursiveReduce(int *data, int size)
{
    if (size == 1) {
        return data[0];
    }
    int half = size / 2;
    for (int i = 0; i < half; ++i) {
        data[i] += data[i + half];
    }
    return cpuRecursiveReduce(data, half);
}

__global__ void halve(int *data, int half)
{
    data[threadIdx.x] += data[threadIdx.x + half]; // expect: error uninitialized-read
}

int main()
{
    int size = 32;
    int *numbers = (int *)malloc(size * sizeof(int));
    for (int i = 0; i < size; i++) {
        *(numbers) = i; // numbers[i] was meant: this is element 0, 32 times
    }

    int *data = nullptr;
    cudaMalloc((void **)&data, size * sizeof(int));
    cudaMemcpy(data, numbers, size * sizeof(int), cudaMemcpyHostToDevice);
    for (int half = size / 2; half > 0; half /= 2) {
        halve<<<1, half>>>(data, half);
    }
    int gpuSum = 0;
    cudaMemcpy(&gpuSum, data, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(data);

    int cpuSum = cpuRecursiveReduce(numbers, size);
    printf("the CPU says %d, the GPU %d\n", cpuSum, gpuSum); // expect: error uninitialized-read
    free(numbers);
}
