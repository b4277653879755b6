// One stream, one after the other: those that wait are pending too.
// pending-launches: 4
//@ launch parent<<<1, 1>>> buf:i32:zeros*1
__global__ void child(int* out) {
    *out += 1;
}
extern "C" __global__ void parent(int* out) {
    for (int i = 0; i < 10; i++) {
        child<<<1, 1>>>(out);  // expect: pending-launch-overflow "6"
    }
}
