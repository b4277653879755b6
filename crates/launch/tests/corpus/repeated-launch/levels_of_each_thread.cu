// Each thread launches each level of a tree, where one is to launch all.
//@ launch driver<<<1, 8>>> buf:i32:iota*8
extern "C" __global__ void level(int* x, int width) {
    if (threadIdx.x < width) x[threadIdx.x] += x[threadIdx.x + width];
}
extern "C" __global__ void driver(int* x) {
    for (int width = 4; width > 0; width /= 2) {
        level<<<1, 8>>>(x, width);  // expect: repeated-launch "8"
    }
}
