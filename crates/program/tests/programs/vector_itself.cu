// A vector is copied itself, and not its elements.
#include <vector>

__global__ void add(int *data)
{
    data[threadIdx.x] += 1;
}

int main()
{
    std::vector<int> values(100, 7);
    int *data;
    cudaMalloc(&data, 100 * sizeof(int));
    cudaMemcpy(data, &values, 100 * sizeof(int), cudaMemcpyHostToDevice); // expect: error host-access
    cudaMemcpy(data, values.data(), 100 * sizeof(int), cudaMemcpyHostToDevice);
    add<<<1, 100>>>(data);
    cudaMemcpy(&values[0], data, 100 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(data);
    return values[99] == 8 ? 0 : 1;
}
