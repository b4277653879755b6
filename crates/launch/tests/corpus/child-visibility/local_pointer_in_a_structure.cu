// The address travels inside a structure.
//@ launch parent<<<1, 1>>> i32:5 buf:i32:zeros*1
struct Work {
    const int* from;
    int* to;
};
__global__ void child(Work work) {
    *work.to = *work.from;  // expect-also: child-visibility, out-of-bounds, uninitialized-read
}
extern "C" __global__ void parent(int x, int* out) {
    int local = x + 1;
    Work work = {&local, out};
    asm volatile("" : "+l"(work.from)::"memory");  // nvcc refuses what it can see through
    child<<<1, 1>>>(work);  // expect: child-visibility
}
