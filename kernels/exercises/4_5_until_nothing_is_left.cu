// Exercise 4.5: Until nothing is left
//
// A rod longer than 10 is cut at a third of its length, and its two parts are cut in the same way, until no
// piece is longer than 10. Each level cuts the rods of one list and puts their parts into the next list. As
// it is given, the program assumes that every rod is cut, and that there are four levels. Neither is so.
// Let the parts stand side by side in the next list, with `counter` to hand out the places, and let the
// host launch level after level until a list is empty.
//
// The program has to print `a rod of 7: 1`, `a rod of 100: 14`, `a rod of 3000: 443`.
//
// You learn to collect new work in a list, and to launch level after level until there is none. About 10
// minutes.
//
// Check it:  cargo run --example exercise -- 4.5
// A hint:    cargo run --example exercise -- hint 4.5

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
    next[2 * i] = part;
    next[2 * i + 1] = rest;
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
    for (int level = 0; level < 4; level++) {
        cudaMemset(counter, 0, sizeof(int));
        cut<<<(count + 63) / 64, 64>>>(rods, count, next, counter);
        count = 2 * count;
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
