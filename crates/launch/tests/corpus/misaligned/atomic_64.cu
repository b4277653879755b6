// A 64-bit counter behind a 32-bit one.
//@ launch count<<<1, 32>>> buf:u32:zeros*4
extern "C" __global__ void count(unsigned* counters) {
    atomicAdd((unsigned long long*)(counters + 1), 1ull);  // expect: misaligned
}
