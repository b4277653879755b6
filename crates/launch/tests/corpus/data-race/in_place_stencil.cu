// Each thread replaces its element while its neighbours still need the old one.
//@ launch smooth<<<1, 64>>> buf:i32:iota*66
extern "C" __global__ void smooth(int* data) {
    unsigned i = threadIdx.x + 1;
    data[i] = data[i - 1] + data[i] + data[i + 1];  // expect: data-race
}
