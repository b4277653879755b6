// Read, barrier, write.
// expect: clean
//@ launch rotate<<<1, 8>>> buf:i32:iota*8
//@ expect 0 = i32:1,2,3,4,5,6,7,0
extern "C" __global__ void rotate(int* data) {
    unsigned t = threadIdx.x;
    int next = data[(t + 1) % 8];
    __syncthreads();
    data[t] = next;
}
