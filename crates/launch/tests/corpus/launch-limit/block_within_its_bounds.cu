// The bounds are for the product of the axes.
// expect: clean
//@ launch count<<<1, 4,32>>> buf:i32:uninit*128
//@ expect 0 = i32:0,1,2,uninit*125
extern "C" __global__ void __launch_bounds__(128, 2) count(int* out) {
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    out[t] = t;
}
