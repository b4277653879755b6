// A dot product whose barrier has been moved into the `if`, "to wait for the working threads only".
//@ launch dot<<<1, 64>>> buf:i32:iota*64 buf:i32:iota*64 buf:i32:zeros*1
extern "C" __global__ void dot(const int* a, const int* b, int* out) {
    __shared__ int products[64];
    unsigned t = threadIdx.x;
    products[t] = a[t] * b[t];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            products[t] += products[t + half];  // expect-also: data-race
            __syncthreads();                    // expect: barrier-divergence
        }
    }
    if (t == 0) *out = products[0];
}
