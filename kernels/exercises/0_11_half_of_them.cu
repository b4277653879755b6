// Exercise 0.11: Half as many numbers
//
// One step towards a sum. The first half of the threads adds the second half of the numbers to the first:
// thread `t` adds number `t` and the one that stands `half` further on. So `n` numbers become half as many,
// with the same sum. Where `n` is odd, the first half has one more, and its last number has no partner: it
// stays as it is.
//
// The host launches `addHalves(input, halves, n)` with one block.
// `halves` has room for half as many numbers, rounded up.
//
// You learn the step of which the sums in this book are made. About 3 minutes.
//
// Check it:  cargo run --example exercise -- 0.11
// A hint:    cargo run --example exercise -- hint 0.11

extern "C" __global__ void addHalves(const int *input, int *halves, int n)
{
    int t = threadIdx.x;
    int half = (n + 1) / 2; // the first half has the middle number, if there is one
    if (t < half) {
        halves[t] = input[t];
    }
}
