// A rotation in place: the neighbour's element is overwritten while somebody may still have to read it.
//@ launch rotate<<<1, 64>>> buf:i32:iota*64
extern "C" __global__ void rotate(int* data) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    int next = s[(t + 1) % 64];  // expect-also: data-race
    s[t] = next;                 // expect: data-race
    __syncthreads();
    data[t] = s[t];
}
