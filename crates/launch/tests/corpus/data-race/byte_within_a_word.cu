// One thread stores the word, another one of its bytes.
//@ launch overlap<<<1, 64>>> buf:u32:zeros*1
extern "C" __global__ void overlap(unsigned* word) {
    if (threadIdx.x == 0) *word = 0x01020304;                         // expect-also: data-race
    if (threadIdx.x == 32) ((unsigned char*)word)[2] = 0xff;          // expect: data-race
}
