// A block waits for another one's flag, reads what that announces, and puts the flag back by a plain store.
// It has seen the write of the flag, so the plain store comes after it (PTX ISA 8.9.5).
//@ launch hand<<<2, 32>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 0 = i32:0
//@ expect 2 = i32:7
// expect: clean

extern "C" __global__ void hand(int *flag, int *data, int *out)
{
    if (threadIdx.x > 0) {
        return;
    }
    if (blockIdx.x == 0) {
        *data = 7;
        __threadfence();
        *(volatile int *)flag = 1;
    } else {
        while (*(volatile int *)flag == 0) {
        }
        __threadfence();
        *out = *data;
        *flag = 0;
    }
}
