// __syncwarp() without a mask is for all lanes; eight come.
//@ launch some<<<1, 32>>> buf:i32:zeros*32
extern "C" __global__ void some(int* out) {
    unsigned t = threadIdx.x;
    if (t < 8) {
        out[t] = 1;
        __syncwarp();  // expect: warp-collective
        out[t] += out[7 - t];  // expect-also: data-race
    }
    out[t] += 1;
}
