//@ begin
// The answer: line 19;
//@ stub
//| // The answer: line ?;
//@ end

extern "C" __global__ void reverseInPlace(unsigned int *g_data, unsigned int size)
{
    unsigned int tid = threadIdx.x;
    unsigned int mine = 0;
    if (tid < size) {
        mine = g_data[tid];
    }
    //@ here __syncthreads();
    if (tid < size) {
        g_data[size - 1 - tid] = mine;
    }
}
