// One & too many in copies, and one missing in an allocation.
#include <cstdio>
#include <cstdlib>

__global__ void twice(int *data) { data[threadIdx.x] *= 2; }

int main()
{
    const size_t bytes = 32 * sizeof(int);
    int *h = (int *)malloc(bytes);
    for (int i = 0; i < 32; ++i)
        h[i] = i;
    int *d;
    cudaMalloc(&d, bytes);
    cudaMemcpy(&d, h, bytes, cudaMemcpyHostToDevice); // expect: error host-access
    cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(d);
    cudaMemcpy(&h, d, bytes, cudaMemcpyDeviceToHost); // expect: error host-access
    printf("%d\n", h[3]); // prints: 3

    // Tables of pointers, and structures with one, are copied as they are.
    int *rows[4] = {d, d + 8, d + 16, d + 24}, **d_rows;
    cudaMalloc(&d_rows, sizeof(rows));
    cudaMemcpy(d_rows, rows, sizeof(rows), cudaMemcpyHostToDevice);
    cudaFree(d_rows);
    cudaFree(d);
    free(h);

    int *none = nullptr;
    cudaMalloc((void **)none, bytes); // expect: error out-of-bounds
    return 0;
}
