// The way to the root reads what others change by a compare-and-swap.
//@ launch unite<<<2, 4>>> buf:i32:iota*9
extern "C" __global__ void unite(int* parent) {
    int a = blockIdx.x * blockDim.x + threadIdx.x, b = a + 1;
    while (true) {
        while (parent[a] != a) a = parent[a];  // expect: data-race "plain"
        while (parent[b] != b) b = parent[b];  // expect-also: data-race
        if (a == b) return;
        int high = max(a, b), low = min(a, b);
        if (atomicCAS(&parent[high], high, low) == high) return;  // expect-also: data-race
        a = low;
        b = high;
    }
}
