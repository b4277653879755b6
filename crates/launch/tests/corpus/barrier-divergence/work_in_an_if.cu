// Only some threads work; all of them meet behind it.
// expect: clean
//@ launch work<<<1, 64>>> buf:i32:zeros*64
//@ expect 0 = i32:1,0,0,1,uninit*60
extern "C" __global__ void work(int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = 0;
    for (int round = 0; round < 3; round++) {
        if (t % 3 == 0) s[t] = 1;
        __syncthreads();
    }
    out[t] = s[t];
}
