// A look before the lock, and another one behind it: a table is made once, by whoever comes first.
//@ launch use<<<8, 32>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*4 buf:i32:zeros*8
// expect: clean
//@ expect 3 = i32:0,1,4,9,0,1,4,9
extern "C" __global__ void use(int* lock, volatile int* ready, int* table, int* out) {
    if (threadIdx.x > 0) return;
    if (*ready == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        if (*ready == 0) {
            for (int i = 0; i < 4; i++) table[i] = i * i;
            __threadfence();
            *ready = 1;
        }
        __threadfence();
        atomicExch(lock, 0);
    }
    __threadfence();
    out[blockIdx.x] = table[blockIdx.x % 4];
}
