// A barrier in each of two cases, none in the third.
//@ launch cases<<<1, 96>>> buf:i32:zeros*96
extern "C" __global__ void cases(int* out) {
    unsigned t = threadIdx.x;
    int value = t;
    switch (t / 32) {
        case 0:
            out[t] = 1;
            __syncthreads();  // expect: barrier-divergence
            value += out[t];
            break;
        case 1:
            out[t] = 2;
            __syncthreads();  // expect-also: barrier-divergence
            value -= out[t];
            break;
        default: value *= 3;
    }
    out[t] = value;
}
