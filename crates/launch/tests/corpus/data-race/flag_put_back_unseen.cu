// As flag_put_back_by_its_reader.cu, but the block puts the flag back without having waited for it.
//@ launch hand<<<2, 32>>> buf:i32:zeros*1 buf:i32:zeros*1

extern "C" __global__ void hand(int *flag, int *data)
{
    if (threadIdx.x > 0) {
        return;
    }
    if (blockIdx.x == 0) {
        *data = 7;
        __threadfence();
        *(volatile int *)flag = 1; // expect-also: data-race
    } else {
        *flag = 0; // expect: data-race
    }
}
