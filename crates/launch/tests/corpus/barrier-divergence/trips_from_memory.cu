// A loop whose length comes from memory, the same for all. The compiler unrolls it into several barriers.
// expect: clean
//@ launch turn<<<1, 64>>> buf:i32:iota*64 buf:i32:7
//@ expect 0 = i32:7,8,9,uninit*61
extern "C" __global__ void turn(int* data, const int* rounds) {
    unsigned t = threadIdx.x;
    for (int i = 0; i < *rounds; i++) {
        int next = data[(t + 1) % 64];
        __syncthreads();
        data[t] = next;
        __syncthreads();
    }
}
