// Who changes the two accounts takes the lock, and who adds them up does not.
//@ launch account<<<4, 1>>> buf:i32:zeros*1 buf:i32:100,0 buf:i32:zeros*4
extern "C" __global__ void account(int* lock, int* money, int* seen) {
    if (blockIdx.x % 2 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        money[0] -= 10;  // expect-also: data-race
        money[1] += 10;  // expect-also: data-race
        __threadfence();
        atomicExch(lock, 0);
    } else {
        seen[blockIdx.x] = money[0] + money[1];  // expect: data-race "lock"
    }
}
