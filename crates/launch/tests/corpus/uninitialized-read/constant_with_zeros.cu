// Constants with an initialiser are set, also those that it does not name.
//@ launch scale<<<1, 4>>> buf:i32:iota*4
// expect: clean
//@ expect 0 = i32:0,1,0,0
__constant__ int factors[4] = {3, 1};

extern "C" __global__ void scale(int *data)
{
    data[threadIdx.x] *= factors[threadIdx.x];
}
