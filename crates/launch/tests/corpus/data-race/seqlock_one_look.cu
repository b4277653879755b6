// The reader waits until no write is under way, and does not look whether one has begun since.
//@ launch copy<<<2, 1>>> buf:u32:0 buf:i32:0,0 buf:i32:uninit*1
// in some orders
extern "C" __global__ void copy(volatile unsigned* counter, int* pair, int* out) {
    if (blockIdx.x == 0) {
        *counter = 1;
        __threadfence();
        pair[0] = 5;
        pair[1] = -5;
        __threadfence();
        *counter = 2;
    } else {
        unsigned before;
        int a, b;
        do {
            before = *counter;
            __threadfence();
            a = pair[0];  // expect: data-race
            b = pair[1];  // expect: data-race
        } while (before % 2 == 1);
        *out = a + b;
    }
}
