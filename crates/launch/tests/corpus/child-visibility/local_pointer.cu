// A local variable belongs to its thread. Its address means something else, or nothing, to a child.
//@ launch parent<<<1, 1>>> i32:5 buf:i32:zeros*1
__global__ void child(const int* x, int* out) {
    *out = *x;  // expect-also: child-visibility, out-of-bounds, uninitialized-read
}
extern "C" __global__ void parent(int x, int* out) {
    int local = x + 1;
    const int* pointer = &local;
    asm volatile("" : "+l"(pointer)::"memory");  // nvcc refuses what it can see through
    child<<<1, 1>>>(pointer, out);  // expect: child-visibility
}
