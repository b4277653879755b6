// No GPU so far gives a block 300 KiB.
//@ launch fill<<<1, 32, 307200>>> buf:i32:zeros*32  # expect: launch-limit
extern "C" __global__ void fill(int* out) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    out[threadIdx.x] = s[threadIdx.x];
}
