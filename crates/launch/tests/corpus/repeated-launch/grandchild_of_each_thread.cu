// One thread launches the child, and each thread of the child the same grandchild.
//@ launch parent<<<1, 32>>> buf:i32:zeros*1
extern "C" __global__ void grandchild(int* x) {
    *x += 1;
}
extern "C" __global__ void child(int* x) {
    grandchild<<<1, 1>>>(x);  // expect: repeated-launch "4"
}
extern "C" __global__ void parent(int* x) {
    if (threadIdx.x == 0) child<<<1, 4>>>(x);
}
