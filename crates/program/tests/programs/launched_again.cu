// Fails, since its second launch adds up what the first one has left: the sums of pairs, in place.
// The ticket begins anew: the host sets it before each launch.
#include <cstdio>

__global__ void sumInPlace(int *data, int *sum, int *ticket, int n)
{
    for (int half = n / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            data[threadIdx.x] += data[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0 && atomicAdd(ticket, 1) == 0)
        *sum = data[0];
}

int main()
{
    const int n = 64;
    int numbers[n];
    for (int i = 0; i < n; i++)
        numbers[i] = i;
    int *data;
    int *sum;
    int *ticket;
    cudaMalloc(&data, sizeof numbers);
    cudaMalloc(&sum, sizeof(int));
    cudaMalloc(&ticket, sizeof(int));
    cudaMemcpy(data, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    for (int run = 0; run < 2; run++) {
        cudaMemset(ticket, 0, sizeof(int));
        sumInPlace<<<1, n>>>(data, sum, ticket, n); // expect: note repeated-launch
    }
    int result;
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(data);
    cudaFree(sum);
    cudaFree(ticket);
    return result == n * (n - 1) / 2 ? 0 : 1; // returns: 1
}
