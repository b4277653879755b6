#include <cstdio>
#include <utility>

// A thread per rod of a level. A rod longer than 10 is cut at a third, and its two parts belong to the next
// level. A shorter one is done.
__global__ void cut(const int *rods, int count, int *next, int *counter)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count || rods[i] <= 10) {
        return;
    }
    int part = rods[i] / 3, rest = rods[i] - part;
    //@ begin
    int place = atomicAdd(counter, 2);
    next[place] = part;
    next[place + 1] = rest;
    //@ stub
    //| next[2 * i] = part;
    //| next[2 * i + 1] = rest;
    //@ end
}

// The number of pieces that a rod of this length becomes.
static int piecesOf(int length)
{
    const int room = 1000; // of a list: no rod is shorter than 3, and all of a level are at most 3000 long
    int *rods = nullptr, *next = nullptr, *counter = nullptr;
    cudaMalloc(&rods, room * sizeof(int));
    cudaMalloc(&next, room * sizeof(int));
    cudaMalloc(&counter, sizeof(int));
    cudaMemcpy(rods, &length, sizeof(int), cudaMemcpyHostToDevice);
    int count = 1, pieces = 1;
    //@ begin
    while (count > 0) {
    //@ stub
    //| for (int level = 0; level < 4; level++) {
    //@ end
        cudaMemset(counter, 0, sizeof(int));
        cut<<<(count + 63) / 64, 64>>>(rods, count, next, counter);
        //@ begin
        cudaMemcpy(&count, counter, sizeof(int), cudaMemcpyDeviceToHost);
        //@ stub
        //| count = 2 * count;
        //@ end
        pieces += count / 2; // each cut makes one more
        std::swap(rods, next);
    }
    cudaFree(rods);
    cudaFree(next);
    cudaFree(counter);
    return pieces;
}

int main()
{
    int lengths[] = {7, 100, 3000};
    for (int length : lengths) {
        printf("a rod of %d: %d\n", length, piecesOf(length));
    }
}
