// Many steps are not endlessly many: the longest way below 10,000 to 1 by "half or three times plus one".
// expect: clean
//@ launch ways<<<1, 1>>> buf:i32:6171 buf:i32:zeros*1
//@ expect 1 = i32:261
extern "C" __global__ void ways(const int* in, int* out) {
    int steps = 0;
    for (int n = *in; n != 1; steps++) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    *out = steps;
}
