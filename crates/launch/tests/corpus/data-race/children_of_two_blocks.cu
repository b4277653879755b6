// Every block has a default stream of its own: these children run side by side.
//@ launch parent<<<2, 1>>> buf:i32:zeros*1
__global__ void child(int* x) {
    *x += 1;  // expect: data-race
}
extern "C" __global__ void parent(int* x) {
    child<<<1, 1>>>(x);
}
