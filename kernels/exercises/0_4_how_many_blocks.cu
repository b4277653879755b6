// Exercise 0.4: How many blocks?
//
// Now you are the host. You have 1,000 numbers, and start 0.3's kernel with blocks of 256 threads:
//
//     twice<<<blocks, 256>>>(input, results, 1000);
//
// How many are `blocks`? In C++ the quotient of two `int`s loses its remainder. How many does `1000 / 256`
// give, and how many numbers have no thread then? How many blocks are needed, and how many of their threads
// does the guard stop? Some people write `n / 256 + 1`: how many blocks does that give for 1,024 numbers,
// where four are enough? Write your numbers below, and change nothing else.
//
// You learn to compute the number of blocks: rounded up, and no more than that. About 4 minutes.
//
// Check it:  cargo run --example exercise -- 0.4
// A hint:    cargo run --example exercise -- hint 0.4

// The answer: blocks that 1000 / 256 gives ?;
// The answer: numbers without a thread then ?;
// The answer: blocks that are needed ?;
// The answer: threads that the guard stops then ?;
// The answer: blocks that 1024 / 256 + 1 gives ?;
