//@ begin
// The answer: the smallest that fills 64;
// The answer: the fastest 128;
// The answer: the largest within 15 % 256;
//@ stub
//| // The answer: the smallest that fills ?;
//| // The answer: the fastest ?;
//| // The answer: the largest within 15 % ?;
//@ end
