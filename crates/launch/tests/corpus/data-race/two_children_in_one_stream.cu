// One stream of one block runs its grids one after the other.
// expect: clean
//@ launch parent<<<1, 1>>> buf:i32:zeros*1
//@ expect 0 = i32:12
__global__ void child(int* x, int value) {
    *x = 10 * *x + value;
}
extern "C" __global__ void parent(int* x) {
    child<<<1, 1>>>(x, 1);
    child<<<1, 1>>>(x, 2);
}
