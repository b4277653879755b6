// An array of 64 KiB in static shared memory: ptxas takes at most 48 KiB.
//@ launch turn<<<1, 256>>> buf:i32:zeros*256  # expect: launch-limit "65536"
extern "C" __global__ void turn(int* out) {
    __shared__ int s[16384];
    for (int i = threadIdx.x; i < 16384; i += blockDim.x) s[i] = i;
    __syncthreads();
    out[threadIdx.x] = s[16383 - threadIdx.x];
}
