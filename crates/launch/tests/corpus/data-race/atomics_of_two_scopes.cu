// Device scope and system scope both include every thread of the grid.
// expect: clean
//@ launch count<<<2, 32>>> buf:i32:zeros*1
//@ expect 0 = i32:64
extern "C" __global__ void count(int* counter) {
    if (blockIdx.x == 0) {
        atomicAdd(counter, 1);
    } else {
        atomicAdd_system(counter, 1);
    }
}
