extern "C" __global__ void addHalves(const int *input, int *halves, int n)
{
    int t = threadIdx.x;
    int half = (n + 1) / 2; // the first half has the middle number, if there is one
    if (t < half) {
        //@ begin
        halves[t] = t + half < n ? input[t] + input[t + half] : input[t];
        //@ stub
        //| halves[t] = input[t];
        //@ end
    }
}
