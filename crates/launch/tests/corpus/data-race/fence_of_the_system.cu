// One GPU sends another a message, with fences that order it for all of them.
// gpus: 2
// expect: clean
//@ launch send<<<1, 1>>> buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1 buf:i32:zeros*1
//@ expect 3 = i32:42
extern "C" __global__ void send(int* turn, int* data, int* flag, int* received) {
    if (atomicAdd_system(turn, 1) == 0) {
        *data = 42;
        __threadfence_system(); // before the flag
        atomicExch_system(flag, 1);
    } else {
        while (atomicAdd_system(flag, 0) == 0) {
        }
        __threadfence_system(); // before the message
        *received = *(volatile int*)data;
    }
}
