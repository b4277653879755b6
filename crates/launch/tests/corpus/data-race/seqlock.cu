// The reader looks at the counter again and discards what it has read if that has changed.
//@ launch copy<<<2, 1>>> buf:u32:0 buf:i32:0,0 buf:i32:uninit*1
// expect: clean
//@ expect 2 = i32:0
extern "C" __global__ void copy(volatile unsigned* counter, int* pair, int* out) {
    if (blockIdx.x == 0) {
        *counter = 1;
        __threadfence();
        pair[0] = 5;
        pair[1] = -5;
        __threadfence();
        *counter = 2;
    } else {
        unsigned before, after;
        int a, b;
        do {
            before = *counter;
            __threadfence();
            a = pair[0];
            b = pair[1];
            __threadfence();
            after = *counter;
        } while (before != after || before % 2 == 1);
        *out = a + b;
    }
}
