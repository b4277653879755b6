// 3.7 Choose a block size
//
// You are to launch chapter 3's `reduceInterleaved` for 2^24 numbers on an H200, whose multiprocessors hold
// up to 2,048 threads each, in up to 32 blocks. First by reasoning: what is the smallest block size with
// which blocks can fill a multiprocessor? Then look at the record, whose times the check shows: which size is
// the fastest, and which is the largest that takes at most 15 % longer? (Larger blocks leave fewer partial
// sums for the host.) Write your numbers below, and change nothing else.
//
//@ learn to choose a block size first by the limits of the device, then by a record
//@ minutes 10
//@ answer the smallest that fills: given 64
//@ slip the smallest that fills: 32 32 blocks of 32 threads are 1,024, and a multiprocessor has room for
//@      2,048.
//@ slip the smallest that fills: 2048 A block has at most 1,024 threads, and a multiprocessor takes more than
//@      one.
//@ slip the smallest that fills: 1024 Two blocks of 1,024 do fill it, but smaller ones do too.
//@ slip the smallest that fills: 128 16 blocks of 128 do fill it, but smaller ones do too.
//@ slip the smallest that fills: 512 4 blocks of 512 do fill it, but smaller ones do too.
//@ slip the smallest that fills: 256 8 blocks of 256 do fill it, but smaller ones do too.
//@ answer the fastest: fastest ch3_blocks reduceInterleaved n=16777216
//@ answer the largest within 15 %: largest-within 15 ch3_blocks reduceInterleaved n=16777216
//@ hint At most 32 blocks are on a multiprocessor at once. How many threads must each have, for 2,048 in all?
//@ hint Run the check: it shows the times that the answers are about.
//@ hint 15 % longer than 100 µs is 115 µs.
//@ think wrong-number: What does the table say of the next smaller size, and of the next larger one?
//@ why Blocks of 64, of 512 and of 1,024 threads all fill a multiprocessor. Why are 64 and 1,024 slower than
//@      the sizes in between?
//@ because Small blocks end quickly, a multiprocessor can start new ones only so fast, and each leaves a
//@      partial sum. In large blocks the tree has more steps, more warps wait for the slowest at each
//@      barrier, and only one other block is there to run meanwhile. Filling the multiprocessor is necessary,
//@      but not sufficient.
//@ mutant the-smallest-there-is: wrong-number
//@ - that fills 64;
//@ + that fills 32;
//@ mutant as-the-example: wrong-number
//@ - fastest 128;
//@ + fastest 512;
//@ mutant a-size-without-a-time: wrong-number
//@ - fastest 128;
//@ + fastest 100;
//@ mutant the-largest-of-all: wrong-number
//@ - within 15 % 256;
//@ + within 15 % 1024;
//@ mutant the-fastest-again: wrong-number
//@ - within 15 % 256;
//@ + within 15 % 128;

//@ begin
// The answer: the smallest that fills 64;
// The answer: the fastest 128;
// The answer: the largest within 15 % 256;
//@ stub
//| // The answer: the smallest that fills ?;
//| // The answer: the fastest ?;
//| // The answer: the largest within 15 % ?;
//@ end
