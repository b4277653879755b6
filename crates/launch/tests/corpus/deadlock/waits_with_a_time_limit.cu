// Nobody sets the flag, and the loop counts its looks: it gives up.
// expect: clean
//@ launch wait<<<1, 32>>> buf:i32:zeros*1 buf:i32:zeros*32
//@ expect 1 = i32:10000,10000,10000,uninit*29
extern "C" __global__ void wait(int* flag, int* out) {
    int looks = 0;
    while (atomicAdd(flag, 0) == 0 && looks < 10000) looks++;
    out[threadIdx.x] = looks;
}
