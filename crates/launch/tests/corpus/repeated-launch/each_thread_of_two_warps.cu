// The guard keeps no thread of the block out, so that each of them launches the tail.
//@ launch driver<<<1, 40>>> buf:i32:zeros*1 i32:40
extern "C" __global__ void count(int* x) {
    atomicAdd(x, 1);
}
extern "C" __global__ void driver(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) count<<<1, 1, 0, cudaStreamTailLaunch>>>(x);  // expect: repeated-launch "threads"
}
