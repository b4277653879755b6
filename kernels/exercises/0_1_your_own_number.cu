// Exercise 0.1: Each thread its own number
//
// Double every number. The host starts one block with exactly as many threads as there are numbers, and all
// of these threads execute the function below, each with another `threadIdx.x`: 0, 1, 2 and so on. So there
// is no loop to write: say what one thread does with the number that is its own. Two lines are enough, or
// one.
//
// The host launches `twice(input, results)` with one block.
// `results` has room for as many numbers; what is in it at the start is undefined.
//
// You learn that a kernel says what one thread does, and that `threadIdx.x` says which thread it is. About
// 3 minutes.
//
// Check it:  cargo run --example exercise -- 0.1
// A hint:    cargo run --example exercise -- hint 0.1

extern "C" __global__ void twice(const int *input, int *results)
{
    // Write here what one thread does.
}
