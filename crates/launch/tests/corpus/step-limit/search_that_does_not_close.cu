// Where two elements are left, the lower end stays where it is.
//@ launch find<<<1, 32>>> buf:i32:iota*100 buf:i32:zeros*32 i32:100
extern "C" __global__ void find(const int* in, int* out, int n) {
    int low = 0, high = n - 1;
    while (low < high) {  // expect: step-limit "compares"
        int middle = (low + high) / 2;
        if (in[middle] <= 3 * (int)threadIdx.x) low = middle;  // expect-also: step-limit
        else high = middle - 1;
    }  // expect-also: step-limit
    out[threadIdx.x] = low;
}
