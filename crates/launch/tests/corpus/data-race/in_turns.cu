// The blocks add to one number, each when the turn is its own.
// expect: clean
//@ launch add<<<8, 1>>> buf:i32:zeros*1 buf:i32:1
//@ expect 1 = i32:4925
extern "C" __global__ void add(int* turn, int* number) {
    while (atomicAdd(turn, 0) != blockIdx.x) {}
    __threadfence();
    *number = 3 * *number - blockIdx.x;
    __threadfence();
    atomicExch(turn, blockIdx.x + 1);
}
