// Each thread launches a child for a part of its own, and one of its own size for the same array.
// expect: clean
//@ launch driver<<<1, 8>>> buf:i32:zeros*64 buf:i32:zeros*1
//@ expect 0 = i32:0,1,2,3,4,5,6,7,0,1,uninit*54
//@ expect 1 = i32:36
extern "C" __global__ void fill(int* x) {
    x[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void count(int* sum) {
    atomicAdd(sum, 1);
}
extern "C" __global__ void driver(int* x, int* sum) {
    fill<<<1, 8>>>(x + 8 * threadIdx.x);
    count<<<1, threadIdx.x + 1>>>(sum);
}
