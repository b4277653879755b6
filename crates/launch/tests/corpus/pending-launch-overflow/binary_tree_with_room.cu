// Five levels are 62 launches.
// expect: clean
// pending-launches: 62
//@ launch node<<<1, 1>>> buf:i32:zeros*1 i32:5
//@ expect 0 = i32:63
extern "C" __global__ void node(int* count, int depth) {
    atomicAdd(count, 1);
    for (int i = 0; i < 2 && depth > 0; i++) {
        node<<<1, 1, 0, cudaStreamFireAndForget>>>(count, depth - 1);
    }
}
