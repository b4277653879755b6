// Every grid launches two more: their number doubles from level to level.
// pending-launches: 10
//@ launch node<<<1, 1>>> buf:i32:zeros*1 i32:5
extern "C" __global__ void node(int* count, int depth) {
    atomicAdd(count, 1);
    for (int i = 0; i < 2 && depth > 0; i++) {
        node<<<1, 1, 0, cudaStreamFireAndForget>>>(count, depth - 1);  // expect: pending-launch-overflow
    }
}
