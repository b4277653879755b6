// Exercise 3.7: Choose a block size
//
// You are to launch chapter 3's `reduceInterleaved` for 2^24 numbers on an H200, whose multiprocessors hold
// up to 2,048 threads each, in up to 32 blocks. First by reasoning: what is the smallest block size with
// which blocks can fill a multiprocessor? Then look at the record, whose times the check shows: which size is
// the fastest, and which is the largest that takes at most 15 % longer? (Larger blocks leave fewer partial
// sums for the host.) Write your numbers below, and change nothing else.
//
// You learn to choose a block size first by the limits of the device, then by a record. About 10 minutes.
//
// Check it:  cargo run --example exercise -- 3.7
// A hint:    cargo run --example exercise -- hint 3.7

// The answer: the smallest that fills ?;
// The answer: the fastest ?;
// The answer: the largest within 15 % ?;
