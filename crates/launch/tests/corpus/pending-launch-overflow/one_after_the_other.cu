// Twenty launches, each made by the grid before it: few are pending at a time.
// expect: clean
// pending-launches: 4
//@ launch step<<<1, 1>>> buf:i32:zeros*1 i32:20
//@ expect 0 = i32:21
extern "C" __global__ void step(int* out, int left) {
    *out += 1;
    if (left > 0) step<<<1, 1, 0, cudaStreamTailLaunch>>>(out, left - 1);
}
