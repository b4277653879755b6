// No way leads from 0 to 1, and the loop takes all of its steps in registers.
//@ launch ways<<<1, 1>>> buf:i32:0 buf:i32:zeros*1
extern "C" __global__ void ways(const int* in, int* out) {
    int steps = 0;
    for (int n = *in; n != 1; steps++) n = n % 2 == 0 ? n / 2 : 3 * n + 1;  // expect: step-limit "neither"
    *out = steps;
}
