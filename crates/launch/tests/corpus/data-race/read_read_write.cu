// Every thread reads the word, thread 0 last of its warp; then thread 0 writes it. A checker that remembers
// the last reader alone finds thread 0 itself there.
//@ launch next<<<1, 64>>> buf:i32:7 buf:i32:zeros*64
extern "C" __global__ void next(int* word, int* out) {
    unsigned t = threadIdx.x;
    out[t] = *word;           // expect-also: data-race
    if (t == 0) *word += 1;   // expect: data-race
}
