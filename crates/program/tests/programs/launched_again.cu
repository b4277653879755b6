// Fails, since its second launch adds up what the first one has left: the sums of pairs, in place.
// Ticket and count begin anew: the host sets one and copies the other before each launch.
#include <cstdio>

__global__ void sumInPlace(int *ticket, int *count, int *data, int *sum, int n)
{
    for (int half = n / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            data[threadIdx.x] += data[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0 && atomicAdd(ticket, 1) + atomicAdd(count, 1) == 0)
        *sum = data[0];
}

int main()
{
    const int n = 64;
    int numbers[n];
    for (int i = 0; i < n; i++)
        numbers[i] = i;
    int *ticket;
    int *count;
    int *data;
    int *sum;
    cudaMalloc(&ticket, sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMalloc(&data, sizeof numbers);
    cudaMalloc(&sum, sizeof(int));
    cudaMemcpy(data, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    for (int run = 0; run < 2; run++) {
        cudaMemset(ticket, 0, sizeof(int));
        cudaMemcpy(count, numbers, sizeof(int), cudaMemcpyHostToDevice);
        sumInPlace<<<1, n>>>(ticket, count, data, sum, n); // expect: note repeated-launch
    }
    int result;
    cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(ticket);
    cudaFree(count);
    cudaFree(data);
    cudaFree(sum);
    return result == n * (n - 1) / 2 ? 0 : 1; // returns: 1
}
