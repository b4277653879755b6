//@ begin
// The answer: blocks that 1000 / 256 gives 3;
// The answer: numbers without a thread then 232;
// The answer: blocks that are needed 4;
// The answer: threads that the guard stops then 24;
// The answer: blocks that 1024 / 256 + 1 gives 5;
//@ stub
//| // The answer: blocks that 1000 / 256 gives ?;
//| // The answer: numbers without a thread then ?;
//| // The answer: blocks that are needed ?;
//| // The answer: threads that the guard stops then ?;
//| // The answer: blocks that 1024 / 256 + 1 gives ?;
//@ end
